/**
 * The controller's side of a run on load hosts: it compares the generators' facts, agrees on the
 * start, merges their seconds, copies their files and notices silent generators.
 */
package io.shardload.remote.controller;
