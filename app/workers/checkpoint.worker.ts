import { serveCheckpoints } from "~/core/checkpoint.thread";

serveCheckpoints();
