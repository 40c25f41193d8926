/** What the page of a comparison draws over the time of the runs. */
package io.shardload.compare.curves;
