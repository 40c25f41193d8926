package io.shardload.jenkins.lint;

import java.util.HashSet;
import java.util.Set;

/**
 * The surroundings of a step.
 *
 * @param options whether it is in an options section, which is computed before anything runs
 * @param post the condition of the pipeline's own post section, or an empty text outside of it
 * @param secrets the variables that withCredentials binds here
 * @param unknownSecrets whether withCredentials binds variables whose names are computed
 */
record Context(
    boolean options,
    String post,
    boolean locked,
    boolean timed,
    Set<String> secrets,
    boolean unknownSecrets) {
  static final Context OUTSIDE = new Context(false, "", false, false, Set.of(), false);

  Context inOptions() {
    return new Context(true, post, locked, timed, secrets, unknownSecrets);
  }

  Context inPost(String condition) {
    return new Context(options, condition, locked, timed, secrets, unknownSecrets);
  }

  Context inLock() {
    return new Context(options, post, true, timed, secrets, unknownSecrets);
  }

  Context inTimeout() {
    return new Context(options, post, locked, true, secrets, unknownSecrets);
  }

  Context withSecrets(Set<String> more, boolean unknown) {
    Set<String> all = new HashSet<>(secrets);
    all.addAll(more);
    return new Context(options, post, locked, timed, all, unknownSecrets || unknown);
  }

  boolean hasSecrets() {
    return unknownSecrets || !secrets.isEmpty();
  }
}
