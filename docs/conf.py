"""How Sphinx makes a site of these pages: `pip install -e '.[docs]'`, then `sphinx-build -W docs site`."""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

project = "megasolve"
author = "the megasolve authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "megasolve"
html_show_sphinx = False
# Anchors of headings down to the third level, as pages link to them.
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# A page of a rule may show a file that is cut off on purpose. The list of rules leads to their pages: in the menu of every page, two
# hundred names would hide the rest.
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]
# What a page shows of defaults must not depend on where it was built.
autodoc_preserve_defaults = True
os.environ.setdefault("NO_COLOR", "1")


def setup(app: Sphinx) -> None:
    """Let links to files of the repository that are no pages of the site lead to copies of them."""
    app.connect("source-read", _link_to_copies)


def _link_to_copies(app: Sphinx, page: str, source: list[str]) -> None:
    folder, site = (Path(app.srcdir) / page).parent, Path(app.srcdir)

    def link(found: re.Match[str]) -> str:
        target = (folder / found["path"]).resolve()
        return found[0] if target.is_relative_to(site) else f"](path:{found['path']})"

    source[0] = re.sub(r"\]\((?P<path>\.\./[^):]+\.md)\)", link, source[0])
