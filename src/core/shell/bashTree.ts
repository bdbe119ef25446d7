/** The syntax tree of a bash text, read once for all who ask one after the other. Knows no command. */
import { parse, type Script } from "unbash";
import { rememberLast } from "./rememberLast";

const remembered = rememberLast((text) => parse(text));

/** For a text whose `bashLoad` is not too much; throws a RangeError where the text overflows the stack. Nobody may change the tree. */
export const bashTree = (text: string): Script => remembered(text, "bash");
