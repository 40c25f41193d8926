"""The archive of ``package --all``: it runs like a checkout, without Maven, compiler and network."""
