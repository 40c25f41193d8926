/**
 * The format of a run bundle: names of files, writing them, reading them. This package judges
 * nothing and depends on no other package of shardload.
 *
 * <p>Files of a bundle, in the order in which they come into being:
 *
 * <ul>
 *   <li>{@code run.json}: the effective configuration; {@code config.yml}: the same as one file
 *       that repeats the run. The controller writes both after the data set is loaded. For a
 *       generator without a controller, {@code sampler.Standalone} writes run.json.
 *   <li>{@code taurus/}: logs and configuration of Taurus; {@code jmeter.log} and {@code
 *       jmeter.out} (what the JVM printed) of JMeter, which grow during the run. {@code child.log}:
 *       standard error of the controller's child.
 *   <li>{@code environment.json}: versions, settings, machines. The verb {@code begin} writes it
 *       before the run; the verb {@code verify} adds {@code connections_opened}, and {@code
 *       server.moves} where the servers report what they moved between shards.
 *   <li>{@code evidence.json}: plans and storage, from the server. The verb {@code begin} writes it
 *       before the run; the verb {@code verify} adds the storage after it. Optional.
 *   <li>{@code latencies/generator-N.hlog} and {@code .jsonl}: interval histograms and ledger
 *       lines. Each generator appends to its own with {@link io.shardload.bundle.BundleFiles}. An
 *       interval is a second; in a run that is planned to take over an hour it is so many seconds
 *       that a series has at most 3600 intervals. What comes after these, as when calls hang at the
 *       end, is part of the last interval.
 *   <li>{@code latencies/merged.hlog} and {@code .jsonl}: the same of all generators together, in a
 *       run with load hosts. There {@code generator-N.hlog} has one histogram per tag and segment,
 *       written at the end, and is empty for a generator that was lost.
 *   <li>{@code live/generator-N.K.hlog} and {@code .jsonl}: the same in intervals of a second, for
 *       programs that follow a run of over an hour; minute K of it, and only the last three. {@link
 *       io.shardload.bundle.LiveFiles} writes them. The controller removes them when every
 *       generator has written its final line.
 *   <li>{@code latencies/generator-N.error}: why a generator could not start or go on. Optional.
 *   <li>{@code journal/generator-N.jnl}: outcomes of writes, for the verification. Each generator
 *       appends to its own; {@code keys.FileJournal} owns the header and the blocks.
 *   <li>{@code journal/begun.json}: the header of the data set as the run has marked it, with the
 *       data set's identity, for the verification. {@code verify.BegunRun} writes it at the start
 *       of the run; the verification that settles the data set records this in it.
 *   <li>On a load host, in addition to the files of its generator: {@code
 *       latencies/generator-N.segments.hlog}, one histogram per tag and segment as the controller
 *       keeps it, and {@code samples.jtl}, if the profile asks for a sample per transaction.
 *   <li>{@code verification.json}: result of the verification. The verb {@code verify} writes it
 *       after the run.
 *   <li>{@code hosts.json}: what the machines did during the run, see {@link
 *       io.shardload.bundle.hosts.HostMetrics}. Written after the run, from the store that the
 *       target names or from what the generators sampled. Optional.
 *   <li>{@code outcome.json}: how the run ended. The controller writes it after the verification;
 *       {@code sampler.Standalone} does for a generator without a controller.
 *   <li>{@code summary.json}, {@code report.html}, {@code junit.xml}: the judgement. The verb
 *       {@code finish} writes them last, and again on request.
 * </ul>
 *
 * <p>Fields of a ledger line; times are nanoseconds since the start of the run unless they say
 * otherwise:
 *
 * <ul>
 *   <li>{@code generator}, {@code seq}: number of the generator, and of the (last) second.
 *   <li>{@code from_ns}, {@code to_ns}: the interval. {@code epoch_ms}: wall clock at its end.
 *   <li>{@code cpu_ns}: CPU time of the process since it started. {@code gc_ns}: pauses of its
 *       garbage collection, likewise. {@code workers}: their number.
 *   <li>{@code clock_offset_ms}, {@code clock_uncertainty_ms}: the host's wall clock minus that of
 *       the meeting point, in a run with load hosts. There {@code epoch_ms} is the time of the
 *       meeting point.
 *   <li>{@code due}: arrivals that became due in the interval, by segment (open model).
 *   <li>{@code backlog}: arrivals that are due and neither begun nor dropped (open model).
 *   <li>{@code oldest_unfinished_ns}: age of the oldest unfinished arrival, in the closed model of
 *       the oldest call; absent if nothing is unfinished.
 *   <li>{@code segments}: segment to transaction to the counters of {@link
 *       io.shardload.bundle.Counts}.
 *   <li>{@code machine}: cumulative counters of the generator's machine at the end of the interval,
 *       and {@code machine_at_start} in the first line, where run.json has {@code host_metrics:
 *       local}; see below.
 *   <li>{@code hlog_bytes}: length of the .hlog file that belongs to this and earlier lines.
 * </ul>
 *
 * <p>The final line has {@code final: true} and no {@code segments}. It adds {@code format} (of
 * ledger and histograms), {@code stop_reason}, {@code start_epoch_ms}, {@code actual_end_ns},
 * {@code workers_ended_early}, {@code worker_error} (absent if no worker died), {@code
 * metrics_error} (why the metrics were not served; absent if they were), {@code connections}
 * (opened, by host), {@code segments_ns} (from and to of each segment that was reached), {@code
 * busy_ns} (how long all workers together were in calls, by the segment in which that was), {@code
 * scheduled} (segment to transaction to arrivals due), {@code issued} ({@link
 * io.shardload.bundle.Issued}: what the generator began and dropped, for the comparison with the
 * plan), {@code retired} (documents that reached the highest edition), {@code error_samples} (kind
 * of error to the first message of it, in one line) and {@code clock_step_ms} (by how much the wall
 * clock moved against the monotonic one; optional).
 *
 * <p>A sample of a machine has {@code name} of the host, {@code boot_id} of its kernel, {@code
 * seconds} since the start of the run, {@code cores}, {@code cpu_busy_seconds} and {@code
 * io_wait_seconds} over all processors, {@code disks} (name of the device to reads, bytes read,
 * seconds of reads, writes, bytes written, seconds of writes, seconds with an operation in flight;
 * none of partitions, LVM and RAID), {@code received_bytes} and {@code sent_bytes} since the first
 * sample (neither loopback nor virtual devices), and {@code missing}: what could not be read, one
 * sentence each. What is not known is absent.
 *
 * <p>Histograms have tags {@code segment/transaction/series}. Tags {@code segment/generator} hold
 * what a generator records about itself: {@code hiccup}, the wake-up delay of a thread that only
 * sleeps, every 2 ms; and {@code late}, start delays of arrivals over 1 ms that the generator
 * caused.
 *
 * <p>The series {@code service}, {@code response} and those of the phases hold answered calls;
 * {@code failed} holds the others, and {@code dropped} how long dropped arrivals had waited. The
 * final line's {@code format} ({@link io.shardload.bundle.GeneratorLog#FORMAT}) changes with the
 * meaning of what is described here.
 *
 * <p>{@link io.shardload.bundle.BundleLayout} names the files. {@link
 * io.shardload.bundle.WholeFile} writes those that do not grow. {@link
 * io.shardload.bundle.BundleReader} reads a bundle as it was left, also one that was cut off, into
 * a {@link io.shardload.bundle.Bundle}. Ledger lines stay in their file: a {@link
 * io.shardload.bundle.GeneratorLog} reads them as often as asked. {@link
 * io.shardload.bundle.HistogramLines} reads the histograms one interval at a time, and {@code
 * bundle.histogram} adds them. What cannot be read becomes a problem in words. Memory does not grow
 * with the length of a run.
 */
package io.shardload.bundle;
