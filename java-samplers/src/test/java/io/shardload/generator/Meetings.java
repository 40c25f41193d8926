package io.shardload.generator;

import java.lang.reflect.Proxy;
import java.util.Map;

/** Meeting points that differ from the local one in something. */
final class Meetings {
  private Meetings() {}

  /** With a lease of its own. */
  static MeetingPoint of(MeetingPoint.Lease lease) {
    return but(Map.of("lease", lease));
  }

  /** Of a run with other generators. */
  static MeetingPoint shared(MeetingPoint.Lease lease) {
    return but(Map.of("lease", lease, "isShared", true));
  }

  private static MeetingPoint but(Map<String, Object> answers) {
    MeetingPoint local = new LocalMeeting("test", "", "");
    return (MeetingPoint)
        Proxy.newProxyInstance(
            MeetingPoint.class.getClassLoader(),
            new Class<?>[] {MeetingPoint.class},
            (proxy, method, arguments) -> {
              Object answer = answers.get(method.getName());
              return answer == null ? method.invoke(local, arguments) : answer;
            });
  }
}
