/** Load hosts: generators on other machines, and the controller's side of a run on them. */
package io.shardload.remote;
