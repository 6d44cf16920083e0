"""What mkdocs takes from the repository besides ``docs/``: pages that stand elsewhere, and the generated reference.

A page links to others by their paths in the repository, so that its links work where the files are browsed. Here they
become links between pages. A link to a file that is no page is an error, as any broken link is.
"""

from __future__ import annotations

import logging
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
from reference import PAGES as GENERATED  # the folder beside this file

ROOT = Path(__file__).parents[2]
_EXAMPLES = sorted(found.parent.name for found in ROOT.glob("examples/*/README.md"))
ELSEWHERE = {  # path in the repository -> path of the page
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    **{f"examples/{name}/README.md": f"examples/{name}.md" for name in _EXAMPLES},
}
_SOURCES = {page: path for path, page in ELSEWHERE.items()}
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_LOADED = re.compile(r"""<(?:link|script|img|iframe)\b[^>]*\s(?:src|href)=["']?((?:https?:)?//[^\s"'>]*)""")
_SHORT_CODE = re.compile(r"<code>([^<]{1,28})</code>")
_log = logging.getLogger("mkdocs.hooks.links")


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that stand elsewhere, and those that are made from the code."""
    for path, page in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
    for page, make in GENERATED.items():
        files.append(File.generated(config, page, content=make()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links by paths in the repository -> links between pages."""
    here = page.file.src_uri
    source = _SOURCES.get(here, f"docs/{here}")

    def between_pages(link: re.Match[str]) -> str:
        start, target, end = link.groups()
        if ":" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        to = ELSEWHERE.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if to is None:
            _log.warning("%s: %s is no page of the documentation", source, target)
            return link[0]
        return f"{start}{posixpath.relpath(to, posixpath.dirname(here) or '.')}{end}"

    return _LINK.sub(between_pages, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Short code, as an option or a key, is not broken at the end of a line."""
    return _SHORT_CODE.sub(r'<code class="short">\1</code>', html)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """A page that loads anything from elsewhere, which does not work without a network, is an error."""
    for address in _LOADED.findall(output):
        _log.warning("%s loads %s", page.file.src_uri, address)
    return output
