"""Published tokenizers: names and models, the search for their files, and the embedded vocabularies (`data`)."""
