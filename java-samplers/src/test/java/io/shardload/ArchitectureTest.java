package io.shardload;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The rules of the house on who may know whom; docs/architecture.md lists them. */
@AnalyzeClasses(packages = "io.shardload", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {
  /** ArchUnit's own option knows test classes only where Maven puts them by default. */
  static final class NoTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }

  @ArchTest
  static final ArchRule WORKLOAD_KNOWS_NO_DRIVER_NO_JMETER_NO_METRICS =
      noClasses()
          .that()
          .resideInAPackage("io.shardload.workload..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.shardload.driver..",
              "io.shardload.metrics..",
              "io.shardload.sampler..",
              "org.apache.jmeter..",
              "java.sql..",
              "javax.sql..");

  @ArchTest
  static final ArchRule ONLY_SAMPLER_AND_ENGINE_KNOW_JMETER =
      noClasses()
          .that(not(resideInAnyPackage("io.shardload.sampler..", "io.shardload.remote.engine..")))
          .should()
          .dependOnClassesThat(resideInAnyPackage("org.apache.jmeter..", "org.apache.jorphan.."));

  @ArchTest
  static final ArchRule NOBODY_NAMES_A_DRIVER =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.shardload.driver.*..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.shardload.driver.*..")
          .because("drivers are found with ServiceLoader");

  @ArchTest
  static final ArchRule DRIVERS_DO_NOT_KNOW_EACH_OTHER =
      slices()
          .matching("io.shardload.driver.(*)..")
          .should()
          .notDependOnEachOther()
          .ignoreDependency(
              resideInAPackage("io.shardload.driver.."),
              resideInAPackage("io.shardload.driver.jdbc.."))
          .because("only the library of SQL drivers is theirs");

  @ArchTest
  static final ArchRule PACKAGES_OF_A_DRIVER_HAVE_AN_ORDER =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("driver")
          .definedBy("io.shardload.driver.*")
          .layer("preflight")
          .definedBy("io.shardload.driver.*.preflight..")
          .layer("monitoring")
          .definedBy("io.shardload.driver.*.monitoring..")
          .layer("statements")
          .definedBy("io.shardload.driver.*.statements..")
          .layer("facts")
          .definedBy("io.shardload.driver.*.facts..")
          .layer("store")
          .definedBy("io.shardload.driver.*.store..")
          .layer("schema")
          .definedBy("io.shardload.driver.*.schema..")
          .layer("client")
          .definedBy("io.shardload.driver.*.client..")
          .whereLayer("driver")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("preflight")
          .mayOnlyBeAccessedByLayers("driver")
          .whereLayer("monitoring")
          .mayOnlyBeAccessedByLayers("driver")
          .whereLayer("statements")
          .mayOnlyBeAccessedByLayers("driver")
          .whereLayer("facts")
          .mayOnlyBeAccessedByLayers("driver", "monitoring", "statements")
          .whereLayer("store")
          .mayOnlyBeAccessedByLayers("driver", "preflight", "facts", "statements")
          .whereLayer("schema")
          .mayOnlyBeAccessedByLayers(
              "driver", "monitoring", "preflight", "facts", "store", "statements");

  /** Each package is a slice of its own, those inside a driver too. */
  @ArchTest
  static final ArchRule NO_PACKAGE_CYCLES =
      slices().matching("io.shardload.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule SQL_STAYS_IN_DRIVERS =
      only("io.shardload.driver..", "java.sql..", "javax.sql..");

  @ArchTest
  static final ArchRule POOLS_STAY_IN_THE_LIBRARY_OF_SQL_DRIVERS =
      only("io.shardload.driver.jdbc..", "com.zaxxer.hikari..");

  @ArchTest
  static final ArchRule PGJDBC_STAYS_IN_ITS_DRIVER =
      only("io.shardload.driver.postgresql..", "org.postgresql..");

  @ArchTest
  static final ArchRule CONNECTOR_J_STAYS_IN_ITS_DRIVER =
      only("io.shardload.driver.mariadb..", "org.mariadb..");

  @ArchTest
  static final ArchRule BSON_STAYS_IN_ITS_DRIVER =
      only("io.shardload.driver.mongodb..", "com.mongodb..", "org.bson..");

  @ArchTest
  static final ArchRule ONLY_REDIS_KNOWS_ITS_CLIENT =
      only("io.shardload.redis..", "redis.clients..");

  @ArchTest
  static final ArchRule ONLY_STATIC_PAGES_KNOW_RHINO =
      only("io.shardload.report.staticpage..", "org.mozilla.javascript..");

  @ArchTest
  static final ArchRule SERVER_ARCHIVES_STAY_IN_EMBEDDED =
      only(
          "io.shardload.embedded..",
          "redis.embedded..",
          "de.bwaldvogel.mongo..",
          "org.apache.commons.compress..",
          "org.tukaani.xz..");

  /** The plugin jar leaves the embedded servers out: what JMeter loads must do without them. */
  @ArchTest
  static final ArchRule ONLY_THE_COMMAND_LINE_STARTS_EMBEDDED_SERVERS =
      classes()
          .that()
          .resideInAPackage("io.shardload.embedded..")
          .should()
          .onlyHaveDependentClassesThat()
          .resideInAnyPackage("io.shardload.embedded..", "io.shardload.cli..");

  @ArchTest
  static final ArchRule NOTHING_DEPENDS_ON_THE_COMMAND_LINE =
      classes()
          .that()
          .resideInAPackage("io.shardload.cli..")
          .should()
          .onlyHaveDependentClassesThat()
          .resideInAPackage("io.shardload.cli..");

  /** Who reads or writes a bundle's format goes through this package, and it knows nobody. */
  @ArchTest
  static final ArchRule BUNDLE_DEPENDS_ON_NO_OTHER_PACKAGE =
      noClasses()
          .that()
          .resideInAPackage("io.shardload.bundle..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.shardload..")
                  .and(not(resideInAPackage("io.shardload.bundle.."))));

  /** Files of histograms are parsed and printed in one place. */
  @ArchTest
  static final ArchRule ONLY_BUNDLE_KNOWS_THE_HISTOGRAM_LOG =
      noClasses()
          .that(not(resideInAPackage("io.shardload.bundle..")))
          .should()
          .dependOnClassesThat(nameMatching("org\\.HdrHistogram\\..*Log(Reader|Writer|Scanner).*"));

  @ArchTest
  static final ArchRule ONLY_BUNDLE_DECODES_HISTOGRAMS =
      noClasses()
          .that(not(resideInAPackage("io.shardload.bundle..")))
          .should()
          .callMethodWhere(
              target(nameMatching("(de|en)code(From|Into).*"))
                  .and(target(owner(resideInAPackage("org.HdrHistogram..")))));

  /** Judging stays in results: whoever draws or compares takes it from there. */
  @ArchTest
  static final ArchRule ONLY_VERBS_AND_COMPARED_PAGES_DEPEND_ON_REPORT =
      classes()
          .that()
          .resideInAPackage("io.shardload.report..")
          .should()
          .onlyHaveDependentClassesThat()
          .resideInAnyPackage(
              "io.shardload.report..",
              "io.shardload.compare..",
              "io.shardload.history..",
              "io.shardload.capacity..",
              "io.shardload.cli..");

  @ArchTest
  static final ArchRule REPORT_DEPENDS_ONLY_ON_RESULTS_AND_BUNDLE =
      noClasses()
          .that()
          .resideInAPackage("io.shardload.report..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.shardload..")
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.shardload.report..",
                              "io.shardload.results..",
                              "io.shardload.bundle..",
                              // How durations are written.
                              "io.shardload.config.."))));

  private static ArchRule only(String owner, String... libraries) {
    return noClasses()
        .that(not(resideInAPackage(owner)))
        .should()
        .dependOnClassesThat(resideInAnyPackage(libraries))
        .because("only " + owner + " may know them")
        .allowEmptyShould(true);
  }
}
