"""Published models as choices for the slots of one encoder: one file each, listed in ``variants.catalogue``."""
