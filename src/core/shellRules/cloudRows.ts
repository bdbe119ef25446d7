/** Rows for clouds, hosting, registries and code hosts, by the verbs that remove. Pure data. */
import { hasOption } from "./commandWords";
import { names, type ShellRule } from "./shellRule";

const LOOK = "Look first with its list or describe command.";
/** Verbs with which the clouds' programs remove or stop things. */
const REMOVES =
  /^(?:delete|destroy|remove|rm|purge|terminate|erase|wipe|drop|reset|stop|deallocate|deregister|unregister|cleanup|rmi|restore-backup|remove-iam-policy-binding)$/i;
/** Verbs of programs that name the calls of their service. */
const CALL_REMOVES = /^(?:Delete|Remove|Terminate|Stop|Release|Purge|Destroy|Reset|Detach|Unbind)[A-Z]\w*$/;
const AWS_REMOVES =
  /^(?:(?:batch-|admin-|bulk-)?(?:delete|terminate|purge|destroy|deregister|remove|expire|empty|reset)-[\w-]+|schedule-key-deletion|cancel-[\w-]*|(?:stop|reboot)-(?:instances|db-instance|db-cluster|task|cluster|replication-\w+|notebook-instance|instance)|stop-(?:logging|configuration-recorder|access-logging|workspaces|relational-database)|disable-(?:security-hub|organization-admin-account|alarm-actions|ebs-encryption-by-default|metrics-collection)|reboot-[\w-]+|release-address|disable-key|reject-[\w-]+|revoke-[\w-]+|release-hosts|close-account|leave-organization|send-command|detach-(?:role|user|group)-policy|restore-db-[\w-]+)$/;

export const CLOUD_ROWS: readonly ShellRule[] = [
  {
    id: "aws.remove",
    programs: names("aws awslocal"),
    verbs: ["*", AWS_REMOVES],
    when: ({ words }) => !words.some((word) => /^(--dry-run|help|--generate-cli-skeleton.*)$/.test(word)),
    reason: "It removes or stops things in the cloud.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: [
      "aws ec2 terminate-instances --instance-ids i-1",
      "aws --profile prod cloudformation delete-stack --stack-name s",
      "aws ecr batch-delete-image --repository-name r",
      "aws kms schedule-key-deletion --key-id k",
      "aws sqs purge-queue --queue-url u",
    ],
    staysQuietOn: [
      "aws ec2 describe-instances",
      "aws ec2 terminate-instances --dry-run --instance-ids i-1",
      "aws s3 ls",
      "aws iam list-users",
    ],
  },
  {
    id: "aws.s3_remove",
    programs: names("aws awslocal"),
    verbs: ["s3", "rm|rb|mv|sync"],
    when: ({ words, ...command }) =>
      !words.includes("--dryrun") &&
      (words.includes("rb") ||
        words.includes("rm") ||
        (words.includes("sync") && hasOption(command, "--delete"))),
    reason: "It removes objects or a whole bucket.",
    suggestion: "Add --dryrun to see what would go.",
    onceOnly: true,
    firesOn: ["aws s3 rm s3://b --recursive", "aws s3 rb s3://b --force", "aws s3 sync . s3://b --delete"],
    staysQuietOn: [
      "aws s3 ls",
      "aws s3 sync ./dist s3://b",
      "aws s3 sync . s3://b --dryrun --delete",
      "aws s3 cp a s3://b",
    ],
  },
  {
    id: "cloud.remove",
    programs: names(
      "gcloud az doctl hcloud linode-cli scw vultr-cli exo oci ibmcloud aliyun tccli openstack civo upctl cloudflared",
    ),
    when: ({ words }) =>
      words.some(
        (word, at) =>
          (REMOVES.test(word) ||
            CALL_REMOVES.test(word) ||
            /^(delete|terminate|purge)-[\w-]+$|-(?:delete|terminate)$/.test(word)) &&
          !/^-/.test(words[at - 1] ?? ""),
      ) && !words.some((word) => /^(--dry-run|--what-if)$/.test(word)),
    reason: "It removes things in the cloud.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: [
      "gcloud compute instances delete web",
      "gcloud --project p sql instances delete db -q",
      "az group delete -n rg --yes",
      "az storage blob delete-batch -s c",
      "doctl compute droplet delete 1",
      "hcloud server delete web",
    ],
    staysQuietOn: ["gcloud compute instances list", "az group list -o table", "az vm show -n delete"],
  },
  {
    id: "cloud.storage_remove",
    programs: names("gsutil bq s3cmd s5cmd mc minio-client rclone azcopy b2 swift ossutil"),
    when: ({ program, words, ...command }) => {
      if (hasOption(command, "-n|--dry-run|--dryrun") && program !== "bq") return false;
      const verb =
        words.find((word, at) => !word.startsWith("-") && !/^--[\w-]+$/.test(words[at - 1] ?? "")) ?? "";
      const verbs = [verb, ...words.filter((word) => !word.startsWith("-")).slice(0, 2)];
      if (program === "rclone")
        return (
          verbs.some((word) => /^(purge|delete|deletefile|cleanup|sync|move|bisync|dedupe)$/.test(word)) &&
          !words.some((word) => /^(-i|--interactive)$/.test(word))
        );
      if (verbs.some((word) => /^(rm|rb|del|delete|remove|rmdir|delete-.*|undo)$/.test(word))) return true;
      return (
        verbs.some((word) => /^(rsync|sync|mirror)$/.test(word)) &&
        words.some((word) => /^(-d|-\w*d\w*|--delete.*|--remove)$/.test(word))
      );
    },
    reason: "It removes what is stored there.",
    suggestion: "Add --dry-run where there is one, or list it first.",
    onceOnly: true,
    firesOn: [
      "gsutil rm -r gs://b",
      "gsutil -m rsync -d . gs://b",
      "bq rm -r -f d",
      "rclone purge r:b",
      "rclone sync . r:b",
      "rclone delete r:b",
      "s3cmd del --recursive s3://b",
      "mc rb --force m/b",
    ],
    staysQuietOn: [
      "gsutil ls",
      "rclone ls r:b",
      "rclone copy a r:b",
      "rclone --dry-run delete r:b",
      "bq query 'select 1'",
      "rclone rmdir r:b",
    ],
  },
  {
    id: "hosting.remove",
    programs: names(
      "heroku fly flyctl vercel netlify supabase wrangler firebase railway render surge now dokku cf platform upsun eb appwrite neonctl turso planetscale pscale",
    ),
    when: ({ program, words }) =>
      words.some(
        (word, at) =>
          /^(?:[\w-]+:)*(?:delete|destroy|remove|rm|reset|rollback|down|terminate|purge|undeploy|teardown|drop)(?::[\w-]+)?$/i.test(
            word,
          ) &&
          (at === 0 || !/^-/.test(words[at - 1] ?? "")),
      ) && !(program === "firebase" && words.includes("--help")),
    reason: "It removes or turns back what is deployed or stored.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: [
      "heroku apps:destroy -a d",
      "heroku pg:reset DATABASE_URL",
      "fly apps destroy d",
      "vercel rm d --yes",
      "netlify sites:delete",
      "supabase projects delete r",
      "wrangler delete",
      "firebase firestore:delete --all-collections",
      "railway down",
      "supabase db reset --linked",
    ],
    staysQuietOn: [
      "heroku ps -a d",
      "fly status",
      "vercel ls",
      "vercel --prod",
      "netlify deploy",
      "firebase deploy",
    ],
  },
  {
    id: "forge.remove",
    programs: names("gh glab hub tea"),
    verbs: [
      "repo|release|secret|variable|ssh-key|gpg-key|gist|run|cache|codespace|label|project|issue|ruleset|workflow|org|ruleset|environment|milestone|mr|pr",
      /^(delete|remove|archive|delete-asset)$/,
    ],
    reason: "It removes something on the server for everybody.",
    suggestion: "Let a person do it in the browser.",
    onceOnly: true,
    firesOn: [
      "gh repo delete o/r --yes",
      "gh release delete v1",
      "gh secret delete T",
      "gh repo archive o/r",
      "glab repo delete o/r",
    ],
    staysQuietOn: [
      "gh pr list --search delete",
      "gh repo view",
      "gh issue close 12",
      "gh pr create --title delete",
    ],
  },
  {
    id: "forge.api",
    programs: names("gh glab"),
    verbs: ["api"],
    when: ({ words }) =>
      words.some(
        (word, at) =>
          /^(--method=|-X)?DELETE$/i.test(word) &&
          (/^(-X|--method=)/i.test(word) || /^(-X|--method)$/.test(words[at - 1] ?? "")),
      ),
    reason: "It removes something on the server for everybody.",
    suggestion: "Let a person do it in the browser.",
    onceOnly: true,
    firesOn: ["gh api -X DELETE repos/o/r", "gh api --method=DELETE repos/o/r", "gh api -XDELETE repos/o/r"],
    staysQuietOn: ["gh api repos/o/r/pulls", "gh api -X GET search/issues"],
  },
  {
    id: "registry.remove",
    programs: names("npm pnpm yarn cargo gem twine nuget dotnet pod flutter dart hex mix rubygems poetry"),
    when: ({ program, words }) => {
      const verbs = words.filter((word) => !word.startsWith("-"));
      const [first = "", second = ""] = verbs;
      if (/^(npm|pnpm|yarn)$/.test(program)) {
        if (
          /^(unpublish|deprecate)$/.test(first) ||
          (first === "npm" && /^(unpublish|deprecate)$/.test(second))
        )
          return !words.includes("--dry-run");
        if (/^(dist-tag|owner|access|token|hook|org|team|tag)$/.test(first))
          return /^(rm|remove|revoke|destroy)$/.test(second);
        return false;
      }
      if (program === "cargo")
        return first === "yank"
          ? !words.includes("--undo")
          : first === "owner" && words.some((word) => /^(--remove|-r)$/.test(word));
      if (program === "gem")
        return first === "yank" || (first === "owner" && words.some((word) => /^(-r|--remove)$/.test(word)));
      if (/^(dotnet|nuget)$/.test(program))
        return words.includes("delete") && (program === "nuget" || first === "nuget");
      if (program === "pod") return first === "trunk" && /^(delete|deprecate|remove-owner)$/.test(second);
      return first === "hex.publish" && words.includes("--revert");
    },
    reason: "It takes a published package away from everybody who uses it.",
    suggestion: "Publish a fixed version.",
    onceOnly: true,
    firesOn: [
      "npm unpublish a@1.0.0",
      "npm deprecate a gone",
      "npm dist-tag rm a latest",
      "cargo yank --version 1.0.0",
      "cargo owner --remove bob",
      "gem yank a -v 1",
      "dotnet nuget delete a 1.0",
    ],
    staysQuietOn: [
      "npm publish --dry-run",
      "npm uninstall a",
      "npm rm a",
      "cargo yank --undo --version 1.0.0 a",
      "npm dist-tag ls",
    ],
  },
];
