/** The driver {@code mariadb}, and all that imports MariaDB Connector/J: an LGPL jar of its own. */
package io.shardload.driver.mariadb;
