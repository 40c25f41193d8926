package io.shardload.jenkins.build;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Hides secrets in the log, as {@code credentialsbinding.masking.SecretPatterns}: as they are,
 * quoted as bash and ash quote them in a trace, and in Base64.
 */
public final class Masking {
  private static final int SHORTEST = 3;
  private static final int BASE64_SHIFTS = 3;

  private final Deque<Pattern> patterns = new ArrayDeque<>();

  /** Hides these secrets until {@link #pop}. */
  public void push(Collection<String> secrets) {
    Set<String> forms =
        new TreeSet<>(
            Comparator.comparingInt(String::length).reversed().thenComparing(form -> form));
    secrets.stream().filter(secret -> !secret.isEmpty()).forEach(secret -> add(secret, forms));
    forms.removeIf(form -> form.length() < SHORTEST);
    patterns.push(
        Pattern.compile(forms.stream().map(Pattern::quote).collect(Collectors.joining("|"))));
  }

  public void pop() {
    patterns.pop();
  }

  /** The text as the log shows it. */
  public String mask(String text) {
    String masked = text;
    for (Pattern pattern : patterns) {
      if (!pattern.pattern().isEmpty()) {
        masked = pattern.matcher(masked).replaceAll("****");
      }
    }
    return masked;
  }

  private static void add(String secret, Set<String> forms) {
    String bash = secret.replace("'", "'\\''");
    forms.add(secret);
    forms.add(bash);
    forms.add("'" + bash + "'");
    forms.add(secret.replaceAll("\\\\(\\\\?)", "$1"));
    forms.add(Pattern.compile("'+").matcher(secret).replaceAll("'\"$0\"'"));
    forms.add(secret.replace("$", "$$"));
    for (int shift = 0; shift < BASE64_SHIFTS; shift++) {
      byte[] bytes = ("a".repeat(shift) + secret).getBytes(StandardCharsets.UTF_8);
      addBase64(Base64.getEncoder().encodeToString(bytes), shift, forms);
      addBase64(Base64.getUrlEncoder().encodeToString(bytes), shift, forms);
    }
  }

  private static void addBase64(String encoded, int shift, Set<String> forms) {
    String part = encoded.substring(2 * shift);
    forms.add(part);
    int padding = part.length() - part.replaceAll("=+$", "").length();
    if (padding > 0 && part.length() > padding + 1) {
      // The last character before the padding depends on what follows.
      forms.add(part.substring(0, part.length() - padding - 1));
    }
  }
}
