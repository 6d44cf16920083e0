"""The page of a run: one HTML file that asks for nothing else, one file a section.

A section is a function of what is known of the runs, ``section(data)``, and gives blocks: words, tables, figures with
their numbers. ``render`` makes a page of them.
"""
