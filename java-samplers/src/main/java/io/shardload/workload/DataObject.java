package io.shardload.workload;

/**
 * An object of the database that belongs to a data set: a table or a collection, or what a schema
 * file makes in addition to them.
 *
 * @param kind in the server's words, such as {@code table}
 * @param name with its schema or database, as the server writes it
 * @param identity what another object of the same name does not have: PostgreSQL's oid, MongoDB's
 *     uuid of a collection
 * @param made whether shardload created it; otherwise it existed, and shardload filled it
 */
public record DataObject(String kind, String name, String identity, boolean made) {
  /** The same, created by shardload. */
  public DataObject byShardload() {
    return new DataObject(kind, name, identity, true);
  }

  /** Whether this is the same object, under the same name. */
  public boolean same(DataObject other) {
    return name.equals(other.name) && identity.equals(other.identity);
  }

  @Override
  public String toString() {
    return kind + " " + name;
  }
}
