import { parseSitemap, SitemapTask } from "~/features/knowledge/ingestion/sitemap-task";
import { serve } from "./serve";

serve(SitemapTask, parseSitemap);
