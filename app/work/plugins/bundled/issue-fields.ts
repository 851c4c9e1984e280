import { z } from "zod";

export const IssueTitle = z.string().trim().min(1).max(250);
export const IssueBody = z.string().max(20_000).default("").describe("Markdown");
export const IssueState = z.enum(["open", "closed", "all"]).default("open");
export const IssueLimit = z.number().int().min(1).max(50).default(20);
export const IssueNumber = z.number().int().min(1).max(1_000_000_000);
