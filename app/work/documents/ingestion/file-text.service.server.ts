// For features that read files other than documents.
export { readFileInProcess as readFileText } from "~/work/extraction/read-document.server";
export { cleanFileName } from "./names";
