/** What the machines did during a run: the file {@code hosts.json}. */
package io.shardload.bundle.hosts;
