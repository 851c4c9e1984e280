import { and, type Column, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./db-type";

/**
 * Prepares a statement once per connection, for hot paths: drizzle's query builder takes ten times as long as SQLite.
 */
export function prepared<S>(prepare: (db: Db) => S): (db: Db) => S {
  const statements = new WeakMap<Db, S>();
  return (db) => {
    let statement = statements.get(db);
    if (statement === undefined) {
      statement = prepare(db);
      statements.set(db, statement);
    }
    return statement;
  };
}

type Row<T extends SQLiteTable> = T["$inferSelect"];
type Names<T extends SQLiteTable> = readonly (keyof Row<T> & string)[];
type Values<T extends SQLiteTable, K extends Names<T>> = { [I in keyof K]: Row<T>[K[I]] };

const keysOf = (table: SQLiteTable, names: readonly string[]): SQL | undefined =>
  and(...names.map((name) => sql`${getTableColumns(table)[name]} = ${sql.placeholder(name)}`));

const valuesOf = (names: readonly string[], values: readonly unknown[]) =>
  Object.fromEntries(names.map((name, at) => [name, values[at]]));

/** Finds a row by the values of some text or number columns, prepared once. */
export function preparedFind<T extends SQLiteTable, const K extends Names<T>>(table: T, ...names: K) {
  const statement = prepared((db) =>
    db
      .select()
      .from(table as SQLiteTable)
      .where(keysOf(table, names))
      .limit(1)
      .prepare(),
  );
  return (db: Db, ...values: Values<T, K>): Row<T> | undefined => statement(db).get(valuesOf(names, values));
}

/** Checks whether a row has these column values; see `preparedFind`. */
export function preparedHas<T extends SQLiteTable, const K extends Names<T>>(table: T, ...names: K) {
  const statement = prepared((db) =>
    db
      .select({ one: sql`1` })
      .from(table as SQLiteTable)
      .where(keysOf(table, names))
      .limit(1)
      .prepare(),
  );
  return (db: Db, ...values: Values<T, K>): boolean =>
    statement(db).get(valuesOf(names, values)) !== undefined;
}

/** Deletes all rows with these column values; see `preparedFind`. */
export function preparedDelete<T extends SQLiteTable, const K extends Names<T>>(table: T, ...names: K) {
  const statement = prepared((db) => db.delete(table).where(keysOf(table, names)).prepare());
  return (db: Db, ...values: Values<T, K>): void => void statement(db).run(valuesOf(names, values));
}

/** Encodes a placeholder's value. A drizzle placeholder would encode null too. */
export function encode(column: Column, value: unknown): unknown {
  const input = value === undefined ? column.default : value;
  return input === undefined || input === null ? null : column.mapToDriverValue(input);
}

export function preparedInsert<T extends SQLiteTable>(table: T): (db: Db, row: T["$inferInsert"]) => void {
  const columns = Object.entries(getTableColumns(table)).filter(
    ([, column]) => !("autoIncrement" in column && column.autoIncrement),
  );
  const statement = prepared((db) => {
    const values = columns.map(([name]) => [name, sql`${sql.placeholder(name)}`]);
    return db
      .insert(table)
      .values(Object.fromEntries(values) as T["$inferInsert"])
      .prepare();
  });
  return (db, row) => {
    const values = row as Record<string, unknown>;
    statement(db).run(
      Object.fromEntries(columns.map(([name, column]) => [name, encode(column, values[name])])),
    );
  };
}

/**
 * An update of one row by key, prepared once per set of changed columns. Ignores undefined values.
 * @param guard a column that must have the value `is` for the row to change
 * @returns how many rows were changed
 */
export function preparedUpdate<
  T extends SQLiteTable,
  K extends keyof T["$inferInsert"] & string,
  G extends keyof T["$inferInsert"] & string = never,
>(
  table: T,
  key: K,
  guard?: G,
): (db: Db, id: string, change: Partial<T["$inferInsert"]>, is?: T["$inferInsert"][G]) => number {
  const columns = getTableColumns(table);
  const statements = new Map<string, (db: Db) => { run(values: Record<string, unknown>): unknown }>();
  const statementFor = (names: readonly string[]) => {
    const cached = statements.get(names.join());
    if (cached) return cached;
    const guarded = guard ? sql` AND ${columns[guard]} = ${sql.placeholder("$guard")}` : sql``;
    const statement = prepared((db) => {
      const values = names.map((name) => [name, sql`${sql.placeholder(name)}`]);
      return db
        .update(table)
        .set(Object.fromEntries(values))
        .where(sql`${columns[key]} = ${sql.placeholder("$key")}${guarded}`)
        .prepare();
    });
    statements.set(names.join(), statement);
    return statement;
  };
  return (db, id, change, is) => {
    const update = change as Record<string, unknown>;
    const names = Object.keys(columns).filter((name) => update[name] !== undefined);
    if (names.length === 0) return 0;
    const values = names.map((name) => [name, encodeGiven(columns[name], update[name])]);
    const changed = { ...Object.fromEntries(values), $key: id, ...(guard ? { $guard: is } : {}) };
    return (statementFor(names)(db).run(changed) as { changes: number }).changes;
  };
}

const encodeGiven = (column: Column | undefined, value: unknown): unknown =>
  value === null ? null : column?.mapToDriverValue(value);
