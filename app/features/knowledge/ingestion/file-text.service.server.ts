// What other features read from files that are no documents.
export { readFileInProcess as readFileText } from "../extraction/read-document.server";
export { cleanFileName } from "./names";
