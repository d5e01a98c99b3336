"""The science for people who have a table and no policy: `hg.check`, `hg.xcolor` and the others."""
