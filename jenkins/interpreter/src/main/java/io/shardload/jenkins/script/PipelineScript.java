package io.shardload.jenkins.script;

/** The class that a Jenkinsfile is compiled to. */
public abstract class PipelineScript extends groovy.lang.Script {
  private Script names;

  public void names(Script meanings) {
    names = meanings;
  }

  /** Stands for every call by a name alone; see {@link CallRewriter}. */
  public Object pipelineCall(String name, Object... arguments) {
    return names.call(name, arguments);
  }

  @Override
  public Object getProperty(String name) {
    if (getBinding().hasVariable(name)) {
      return getBinding().getVariable(name);
    }
    // A variable with the annotation Field is a field of the script's class.
    boolean field = getMetaClass().hasProperty(this, name) != null;
    return field ? getMetaClass().getProperty(this, name) : names.property(name);
  }

  @Override
  public void setProperty(String name, Object value) {
    if (getMetaClass().hasProperty(this, name) != null) {
      getMetaClass().setProperty(this, name, value);
    } else if (!names.assign(name, value)) {
      getBinding().setVariable(name, value);
    }
  }
}
