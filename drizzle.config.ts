export default { dialect: "sqlite", schema: "./db/schema.ts", out: "./db/migrations" };
