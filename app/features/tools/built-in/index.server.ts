import type { Tool } from "../tool";
import { httpRequest } from "./http-request.tool.server";
import { ingestQueue } from "./ingest-queue.tool.server";
import { kvGet } from "./kv-get.tool.server";
import { kvSet } from "./kv-set.tool.server";
import { qdrantSearch } from "./qdrant-search.tool.server";
import { webFetch } from "./web-fetch.tool.server";

export const tools: readonly Tool[] = [webFetch, qdrantSearch, httpRequest, kvSet, kvGet, ingestQueue];
