import { kvGet } from "~/ai/kv/kv-get.tool.server";
import { kvSet } from "~/ai/kv/kv-set.tool.server";
import { httpRequest } from "~/ai/tools/built-in/http-request.tool.server";
import { ingestQueue } from "~/ai/tools/built-in/ingest-queue.tool.server";
import { qdrantSearch } from "~/ai/tools/built-in/qdrant-search.tool.server";
import { webFetch } from "~/ai/tools/built-in/web-fetch.tool.server";
import type { Tool } from "~/ai/tools/tool-sources.service.server";

/** The console's own tools, in the order in which they are listed. */
export const tools: readonly Tool[] = [webFetch, qdrantSearch, httpRequest, kvSet, kvGet, ingestQueue];
