import java.util.List;
import java.util.ServiceLoader;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerClient;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.reflect.LogAndIgnoreServiceLoadExceptionHandler;
import org.slf4j.LoggerFactory;

/** Prints what JMeter's GUI offers for a Java Request, found in the way that the GUI does. */
public class ListSamplers {
  public static void main(String[] arguments) {
    JMeterUtils.setJMeterHome(arguments[0]);
    JMeterUtils.loadJMeterProperties(arguments[0] + "/bin/jmeter.properties");
    List<JavaSamplerClient> found =
        List.copyOf(
            JMeterUtils.loadServicesAndScanJars(
                JavaSamplerClient.class,
                ServiceLoader.load(JavaSamplerClient.class),
                Thread.currentThread().getContextClassLoader(),
                new LogAndIgnoreServiceLoadExceptionHandler(
                    LoggerFactory.getLogger(ListSamplers.class))));
    found.forEach(client -> System.out.println(client.getClass().getName()));
  }
}
