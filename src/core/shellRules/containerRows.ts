/** Rows for containers and clusters: what removes data, services and running things. Pure data. */

import { hasOption, type Operand } from "./commandWords";
import { names, type ShellRule } from "./shellRule";
import { namesContainer } from "./textValues";

const DOCKER = names("docker podman nerdctl");
const COMPOSE = names("docker-compose podman-compose");
const KUBE = names("kubectl oc k kubecolor microk8s.kubectl");

/** The same text makes each of these containers, before or after. */
function madeByName(operands: readonly Operand[], text: string): boolean {
  const names = operands.map(({ text: name }) => name).filter((name) => !/^(?:rm|remove)$/.test(name));
  return names.length > 0 && names.every((name) => namesContainer(name, text));
}

export const CONTAINER_ROWS: readonly ShellRule[] = [
  {
    id: "docker.prune",
    programs: DOCKER,
    verbs: ["system|volume|image|container|network|builder|buildx|pod|secret|artifact", "prune|reset"],
    reason: "It removes everything of that kind that does not run right now.",
    suggestion: "docker system df shows what there is.",
    firesOn: [
      "docker system prune -a",
      "docker volume prune -f",
      "docker image prune -a",
      "podman pod prune",
      "podman system reset",
      "docker --context x container prune",
    ],
    staysQuietOn: ["docker system df", "docker image ls", "docker image prune --help"],
  },
  {
    id: "docker.remove_kept",
    programs: DOCKER,
    verbs: [
      "volume|stack|service|secret|config|swarm|machine|node|plugin|context",
      /^(rm|remove|leave|down|delete)$/,
    ],
    when: ({ words }) => !words.includes("context") && (!words.includes("swarm") || words.includes("leave")),
    reason: "It removes data or a running service.",
    suggestion: "docker inspect shows what would go.",
    firesOn: [
      "docker volume rm data",
      "docker stack rm app",
      "docker secret rm key",
      "docker swarm leave --force",
      "docker service rm redis",
      "podman machine rm -f t",
    ],
    staysQuietOn: ["docker volume ls", "docker service ls", "docker swarm update --cert-expiry 720h"],
  },
  {
    id: "docker.remove_force",
    programs: DOCKER,
    verbs: [/^(rm|rmi|container|image|network|pod|manifest)$/],
    options: ["-f|--force|-v|--volumes|-a|--all"],
    when: ({ words, ...command }) => {
      const verb = words.find((word) => !word.startsWith("-")) ?? "";
      const removes = /^(rm|rmi)$/.test(verb) || words.some((word) => /^(rm|remove)$/.test(word));
      if (!removes || !hasOption(command, "-f|--force|-v|--volumes|-a|--all")) return false;
      return hasOption(command, "-v|--volumes|-a|--all") || !madeByName(command.rest, command.read.text);
    },
    reason: "It removes things by force, also while they run, or with their data.",
    suggestion: "docker stop first; docker rm without -f then refuses what still runs.",
    firesOn: [
      "docker rm -f web",
      "docker rm -f $(docker ps -aq)",
      "docker rmi -f a",
      "podman rmi -a -f",
      "docker rm -v web",
      "podman network rm -f a",
      "docker container rm --force a",
    ],
    staysQuietOn: [
      "docker rm -f web; docker run -d --name web nginx",
      "docker rm web",
      "docker run --rm -f x a",
      "docker rmi a",
      "docker ps -f name=rm",
    ],
  },
  {
    id: "docker.compose_volumes",
    programs: DOCKER,
    verbs: ["compose", "down|rm"],
    options: ["-v|--volumes|--rmi|-f|--force"],
    when: ({ options }) => options.some((word) => /^(-\w*v\w*|--vol\w*)(=.*)?$|^--rmi/.test(word)),
    reason: "It removes the services' data with them.",
    suggestion: "docker compose down keeps the volumes.",
    firesOn: ["docker compose down -v", "docker compose -f a.yml down --volumes", "docker compose rm -fsv"],
    staysQuietOn: ["docker compose down", "docker compose up -d -V", "docker compose -f v.yml logs"],
  },
  {
    id: "docker.compose_volumes_old",
    programs: COMPOSE,
    verbs: ["down|rm"],
    options: ["-v|--volumes|--rmi"],
    reason: "It removes the services' data with them.",
    suggestion: "docker compose down keeps the volumes.",
    firesOn: ["docker-compose down --volumes --rmi all", "docker-compose -f a.yml rm -fv"],
    staysQuietOn: ["docker-compose down", "docker-compose up -d"],
  },
  {
    id: "kube.delete",
    programs: KUBE,
    verbs: ["delete|drain|evict"],
    without: "--dry-run",
    reason: "It removes or empties things in a cluster.",
    suggestion: "Look first with kubectl get, or add --dry-run=client.",
    onceOnly: true,
    firesOn: [
      "kubectl delete pod a",
      "kubectl -n prod delete deploy --all",
      "kubectl drain n1 --force",
      "kubectl delete -f a.yaml",
      "oc delete project x",
      "kubectl get pod -o name | xargs kubectl delete",
    ],
    staysQuietOn: [
      "kubectl get pods",
      "kubectl delete --dry-run=client -f a.yaml",
      "kubectl wait --for=delete pod/a",
      "kubectl config delete-context a",
    ],
  },
  {
    id: "kube.replace_force",
    programs: KUBE,
    verbs: ["replace"],
    options: ["--force"],
    without: "--dry-run",
    reason: "It deletes the object and makes it anew.",
    suggestion: "kubectl apply changes it in place.",
    firesOn: ["kubectl replace --force -f a.yaml"],
    staysQuietOn: ["kubectl replace -f a.yaml", "kubectl apply --force-conflicts -f a"],
  },
  {
    id: "kube.scale_zero",
    programs: KUBE,
    verbs: ["scale"],
    when: ({ words }) =>
      words.some(
        (word, at) => /^--replicas=0$/.test(word) || (words[at - 1] === "--replicas" && word === "0"),
      ),
    reason: "It stops all of it.",
    suggestion: "Scale to one.",
    firesOn: ["kubectl scale deploy/web --replicas=0"],
    staysQuietOn: ["kubectl scale deploy/web --replicas=3"],
  },
  {
    id: "kube.prune",
    programs: KUBE,
    verbs: ["apply"],
    options: ["--prune"],
    without: "--dry-run",
    reason: "It deletes whatever the files do not name.",
    suggestion: "kubectl diff shows the change.",
    onceOnly: true,
    firesOn: ["kubectl apply --prune -f . --all"],
    staysQuietOn: ["kubectl apply -f a.yaml"],
  },
];
