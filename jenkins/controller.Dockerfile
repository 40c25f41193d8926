# The controller with its plugins. NOT EXECUTED by this repository's tests.
FROM jenkins/jenkins:2.568.2-lts-jdk21
COPY plugins.txt /usr/share/jenkins/ref/plugins.txt
RUN jenkins-plugin-cli --latest false --plugin-file /usr/share/jenkins/ref/plugins.txt
