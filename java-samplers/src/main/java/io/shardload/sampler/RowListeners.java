package io.shardload.sampler;

import io.shardload.config.ConfigException;
import java.util.List;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterThread;
import org.apache.jmeter.threads.SamplePackage;

/**
 * Finds listeners that write, show or send the elapsed time of each sample. With slices this time
 * would stand for many transactions and be that of none of them. Listeners that sum up have correct
 * counts in both cases.
 */
final class RowListeners {
  private static final List<String> ROW_VIEWS =
      List.of("ViewResultsFullVisualizer", "TableVisualizer");
  // By its name, because its module of JMeter is not on the plugin's class path.
  private static final String BACKEND = "org.apache.jmeter.visualizers.backend.BackendListener";

  private RowListeners() {}

  /** Refuses slices where a listener of the calling thread takes them for transactions. */
  static void refuse() {
    Object current =
        JMeterContextService.getContext().getVariables().getObject(JMeterThread.PACKAGE_OBJECT);
    if (current instanceof SamplePackage samples) {
      for (SampleListener listener : samples.getSampleListeners()) {
        if (listener instanceof TestElement element && takesTimes(element)) {
          String file = element.getPropertyAsString(ResultCollector.FILENAME);
          throw new ConfigException(
              "samples",
              "'slice' combines many transactions in one sample, but listener or JTL '"
                  + (file.isEmpty() ? element.getName() : file)
                  + "' counts each sample as one transaction: set 'each', or remove the listener");
        }
      }
    }
  }

  private static boolean takesTimes(TestElement listener) {
    if (!(listener instanceof ResultCollector collector)) {
      return listener.getClass().getName().equals(BACKEND);
    }
    String view = collector.getPropertyAsString(TestElement.GUI_CLASS);
    return !collector.getFilename().isEmpty() || ROW_VIEWS.stream().anyMatch(view::endsWith);
  }
}
