"""Published tokenizers: names and models, where their files are looked for, and the vocabularies that come with the package (`data`)."""
