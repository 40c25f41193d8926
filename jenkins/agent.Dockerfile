# An agent: the image brings a JDK (its Java runtime has the compiler) and git; ./shardload needs Python too.
# NOT EXECUTED by this repository's tests.
FROM jenkins/ssh-agent:8.9.0-jdk21
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 python3-venv \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o jenkins -g jenkins /var/lib/shardload/runs
