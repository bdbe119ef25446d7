/** Rows for requests that remove something on a server, and for calls of a cloud that a general verb hides. Pure data. */
import { UNKNOWN } from "../paths/shellWords";
import { names, type ShellRule } from "./shellRule";

const LOOK = "Look first with GET or its list command.";
const METHODS = /^(?:DELETE|PURGE)$/i;
/** The method behind its option, joined to it, or as the first word of HTTPie and its kind. */
function removes(program: string, words: readonly string[]): boolean {
  return words.some((word, at) => {
    const before = words[at - 1] ?? "";
    const joined = /^(?:-\w*X=?|--(?:request|method)=)(.+)$/.exec(word)?.[1];
    if (joined !== undefined && METHODS.test(joined)) return true;
    if (!METHODS.test(word)) return false;
    if (/^(?:-\w*X|--request|--method)$/.test(before)) return true;
    return (
      /^(?:https?|xh|xhs|curlie)$/.test(program) && words.slice(0, at).every((own) => own.startsWith("-"))
    );
  });
}

/** One thing of a server under development: `localhost:3000/api/users/1`, but no index or table of a store on this machine. */
const OWN_THING =
  /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])?(?::(?!(?:2379|5984|8086|8500|8983|9200|9201)\b)\d+)?(?:\/[A-Za-z0-9-][\w.-]*){2,}\/?$/;
/** Any single word that may be an address; a header or a body in quotes has blanks or brackets. */
const ADDRESS = /^[^-\s{}"'][^\s{}"']*[/:][^\s{}"']*$|^:|^[$`]/;
/** Options that name another server, or bring more of them. */
const ELSEWHERE =
  /^--(?:url|config|resolve|connect-to|proxy\w*|preproxy|socks\w*|unix-socket|next|input-file|base)\b|^-\w*[Kxi]/;

function onlyOwnThings(words: readonly string[]): boolean {
  if (words.some((word) => ELSEWHERE.test(word))) return false;
  const addresses = words.filter((word) => ADDRESS.test(word) || word.includes(UNKNOWN));
  return addresses.length > 0 && addresses.every((word) => OWN_THING.test(word));
}

const AWS_CHANGES =
  /"?Action"?\s*[:=]\s*"?DELETE|"?DeleteRequest"?\s*:|--no-disable-api-termination|^AWS-(?:Run(?:Shell|PowerShell)Script|StartInteractiveCommand)$/i;
const ZEROED = /^--(?:desired-capacity|desired-count|max-size|num-nodes|min-instances)(?:=0)?$/;

export const REQUEST_ROWS: readonly ShellRule[] = [
  {
    id: "request.remove",
    programs: names("curl wget http https xh xhs curlie"),
    when: ({ program, words }) =>
      (removes(program, words) && !onlyOwnThings(words)) ||
      words.some((word) => /_delete_by_query\b|^X-HTTP-Method(?:-Override)?:\s*DELETE/i.test(word)),
    reason: "It removes something on a server.",
    suggestion: LOOK,
    firesOn: [
      "curl -X DELETE https://api.example.com/users/1",
      "curl -XDELETE localhost:9200/idx",
      "curl -sSXDELETE http://es/idx",
      'curl --request DELETE "$URL/users/1"',
      "http DELETE :9200/idx",
      "curl -X DELETE localhost:9200/idx/_doc",
      "curl -X DELETE http://localhost:3000/users",
      "curl -X DELETE http://localhost:3000/api/users/1 https://api.example.com/users/1",
      "curl -X DELETE http://localhost:3000/api/users/1 es:9200/idx",
      "curl -X DELETE http://localhost:3000/api/users/1 es/idx",
      "curl -X DELETE http://localhost:3000/api/users/1 --url=http://es/idx",
      "curl -X DELETE http://localhost:3000/api/users/1 --resolve localhost:3000:10.0.0.1",
      "curl -X DELETE -K more.txt http://localhost:3000/api/users/1",
      "curl -X DELETE http://localhost:3000/api/users/1 $MORE",
      "curl -XPOST 'localhost:9200/idx/_delete_by_query' -d '{}'",
    ],
    staysQuietOn: [
      "curl https://example.com/DELETE",
      "curl -X POST https://example.com",
      "http GET :3000/users",
      "curl -X DELETE http://localhost:3000/api/users/1",
      "http DELETE :3000/users/1",
      "curl -s -X DELETE -H 'Accept: application/json' localhost:8080/api/users/1",
      "curl -s http://localhost:3000/delete",
    ],
  },
  {
    id: "aws.hidden_remove",
    programs: names("aws awslocal gcloud"),
    when: ({ words }) =>
      words.some(
        (word, at) =>
          AWS_CHANGES.test(word) || (ZEROED.test(word) && (word.endsWith("=0") || words[at + 1] === "0")),
      ) ||
      words.includes("put-bucket-lifecycle-configuration") ||
      (words.includes("backups") && words.includes("restore")),
    without: "--dry-run",
    reason: "It removes or stops things in the cloud by a verb that does not say so.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: [
      'aws route53 change-resource-record-sets --change-batch \'{"Changes":[{"Action":"DELETE"}]}\'',
      "aws ecs update-service --cluster c --service s --desired-count 0",
      "gcloud container clusters resize c --num-nodes=0",
    ],
    staysQuietOn: [
      'aws route53 change-resource-record-sets --change-batch \'{"Changes":[{"Action":"UPSERT"}]}\'',
      "aws ecs update-service --cluster c --service s --desired-count 2",
    ],
  },
  {
    id: "az.rest_remove",
    programs: names("az"),
    verbs: ["rest"],
    when: ({ words }) =>
      words.some(
        (word, at) =>
          /^(?:--method|-m)=delete$/i.test(word) ||
          (/^delete$/i.test(word) && /^(?:--method|-m)$/.test(words[at - 1] ?? "")),
      ),
    reason: "It removes things in the cloud.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: ["az rest --method delete --url x", "az rest -m DELETE -u x", "az rest --method=delete --uri x"],
    staysQuietOn: ["az rest --method get --url x", "az rest -m PUT -u x"],
  },
];
