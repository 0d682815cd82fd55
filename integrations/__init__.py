"""Plug-ins for other systems, one a module. Importing one imports that system and no other plug-in; this package imports none of them."""
