"""Which corpora a target corpus may learn from: TextEmb and TaskEmb (Vu et al., 2020; thesis, section 2.4)."""
