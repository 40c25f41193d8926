"""The jobs of Jenkins, one for each target file, as YAML for jenkins-job-builder."""
