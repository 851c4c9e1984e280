// Times are ms since the epoch, money is millionths of a US dollar. JSON columns are parsed by their
// feature's schema. Ids are opaque (core/ids).

export * from "./schema/chat";
export * from "./schema/documents";
export * from "./schema/errors";
export * from "./schema/evaluations";
export * from "./schema/files";
export * from "./schema/jobs";
export * from "./schema/models";
export * from "./schema/notifications";
export * from "./schema/people";
export * from "./schema/plugins";
export * from "./schema/search";
export * from "./schema/shares";
export * from "./schema/sources";
export * from "./schema/usage";
export * from "./schema/widgets";
export * from "./schema/workflows";
