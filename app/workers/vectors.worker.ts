import { serveVectors } from "~/work/search/retrieval/vectors.thread";

serveVectors();
