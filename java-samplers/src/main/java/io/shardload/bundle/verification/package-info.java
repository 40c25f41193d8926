/** What profiles ask of a verification and what it answers, as bundles have it. */
package io.shardload.bundle.verification;
