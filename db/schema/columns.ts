import { type AnySQLiteColumn, integer, text } from "drizzle-orm/sqlite-core";

export const id = () => text("id").primaryKey();
export const createdAt = () => integer("created_at").notNull();
export const updatedAt = () => integer("updated_at").notNull();

/** The id of the row that this one belongs to, and goes with. */
export const childOf = (name: string, parent: () => AnySQLiteColumn) =>
  text(name).notNull().references(parent, { onDelete: "cascade" });
