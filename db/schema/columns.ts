import { integer, text } from "drizzle-orm/sqlite-core";

// Columns that most tables have.

export const id = () => text("id").primaryKey();
export const createdAt = () => integer("created_at").notNull();
export const updatedAt = () => integer("updated_at").notNull();
