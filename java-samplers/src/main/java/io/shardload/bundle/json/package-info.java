/** Reading JSON that may have gaps. */
package io.shardload.bundle.json;
