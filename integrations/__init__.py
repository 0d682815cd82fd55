"""Plug-ins for other systems, one per module. Importing one imports its system and no other plug-in; this package
imports none of them.
"""
