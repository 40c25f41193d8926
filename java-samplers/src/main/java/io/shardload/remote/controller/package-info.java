/**
 * The controller's side of a run on load hosts: what generators say is compared, the start agreed,
 * their seconds merged, their files copied, and who falls silent is noticed.
 */
package io.shardload.remote.controller;
