package io.shardload.report.staticpage;

import io.shardload.report.staticpage.Node.Element;
import io.shardload.report.staticpage.Node.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.NativeArray;
import org.mozilla.javascript.Scriptable;
import org.mozilla.javascript.ScriptableObject;

/** Runs scripts of a page over {@code report/static.js}, in Rhino. */
public final class Drawing {
  private Drawing() {}

  /**
   * What the scripts drew, as HTML.
   *
   * @param scripts by their names, in the order in which they run; the first makes the document
   * @param data as JSON, which the scripts read from the element {@code data}
   * @throws IllegalStateException if a script fails, or draws what a static page must not have
   */
  public static String html(Map<String, String> scripts, String data) {
    Context context = Context.enter();
    try {
      context.setLanguageVersion(Context.VERSION_ES6);
      // Scripts run once, so compiling them costs more than it saves.
      context.setInterpretedMode(true);
      context.setClassShutter(name -> false);
      ScriptableObject scope = context.initSafeStandardObjects();
      ScriptableObject.putConstProperty(scope, "DATA", data);
      scripts.forEach((name, text) -> context.evaluateString(scope, text, name, 1, null));
      Function layOut = (Function) ScriptableObject.getProperty(scope, "layOut");
      Object page = layOut.call(context, scope, scope, new Object[0]);
      return Markup.of(element((Scriptable) page));
    } finally {
      Context.exit();
    }
  }

  private static Element element(Scriptable drawn) {
    Map<String, String> attributes = new LinkedHashMap<>();
    Scriptable set = (Scriptable) ScriptableObject.getProperty(drawn, "attributes");
    for (Object key : set.getIds()) {
      attributes.put(key.toString(), ScriptableObject.getProperty(set, key.toString()).toString());
    }
    List<Node> children = new ArrayList<>();
    for (Object child : (NativeArray) ScriptableObject.getProperty(drawn, "children")) {
      children.add(child instanceof Scriptable inner ? element(inner) : new Text(child.toString()));
    }
    return new Element(
        ScriptableObject.getProperty(drawn, "name").toString(), attributes, children);
  }
}
