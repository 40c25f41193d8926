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
 * Finds listeners that write or show a row per sample. With slices such a row would stand for many
 * transactions and its elapsed time for none of them; listeners that sum up are correct in both
 * cases.
 */
final class RowListeners {
  private static final List<String> ROW_VIEWS =
      List.of("ViewResultsFullVisualizer", "TableVisualizer");

  private RowListeners() {}

  /** Refuses slices where a listener of the calling thread takes them for transactions. */
  static void refuse() {
    Object current =
        JMeterContextService.getContext().getVariables().getObject(JMeterThread.PACKAGE_OBJECT);
    if (current instanceof SamplePackage samples) {
      for (SampleListener listener : samples.getSampleListeners()) {
        if (listener instanceof ResultCollector collector && showsRows(collector)) {
          throw new ConfigException(
              "samples",
              "'slice' combines many transactions in one sample, but listener or JTL '"
                  + (collector.getFilename().isEmpty()
                      ? collector.getName()
                      : collector.getFilename())
                  + "' counts each sample as one transaction: set 'each', or remove the listener");
        }
      }
    }
  }

  private static boolean showsRows(ResultCollector collector) {
    String view = collector.getPropertyAsString(TestElement.GUI_CLASS);
    return !collector.getFilename().isEmpty() || ROW_VIEWS.stream().anyMatch(view::endsWith);
  }
}
