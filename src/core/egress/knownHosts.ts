/** Hosts that packages and their sources come from: pure data. Only fetching from them is known; nobody but their operator sees who asks for what. */

const list = (hosts: string): readonly string[] => hosts.trim().split(/\s+/);

/** Registries of languages and tools, and where they keep the files. */
const REGISTRIES = list(`
  registry.npmjs.org registry.yarnpkg.com npm.jsr.io jsr.io deno.land esm.sh unpkg.com cdn.jsdelivr.net
  pypi.org files.pythonhosted.org download.pytorch.org conda.anaconda.org repo.anaconda.com
  crates.io static.crates.io index.crates.io static.rust-lang.org sh.rustup.rs
  proxy.golang.org sum.golang.org golang.org go.dev dl.google.com gopkg.in golang.google.cn google.golang.org go.uber.org k8s.io sigs.k8s.io
  rubygems.org index.rubygems.org packagist.org repo.packagist.org getcomposer.org
  repo.maven.apache.org repo1.maven.org central.sonatype.com plugins.gradle.org services.gradle.org maven.google.com
  api.nuget.org www.nuget.org dot.net builds.dotnet.microsoft.com dotnetcli.azureedge.net
  hex.pm repo.hex.pm hackage.haskell.org pub.dev cran.r-project.org cloud.r-project.org metacpan.org www.cpan.org luarocks.org
  nodejs.org deb.nodesource.com rpm.nodesource.com dl.yarnpkg.com yarnpkg.com get.pnpm.io bun.sh astral.sh install.python-poetry.org bootstrap.pypa.io
  docker.io registry-1.docker.io auth.docker.io hub.docker.com ghcr.io quay.io gcr.io *.pkg.dev mcr.microsoft.com public.ecr.aws registry.k8s.io nvcr.io registry.gitlab.com
  download.docker.com get.docker.com pkgs.k8s.io dl.k8s.io get.helm.sh charts.helm.sh
  releases.hashicorp.com registry.terraform.io apt.releases.hashicorp.com rpm.releases.hashicorp.com
  huggingface.co cdn-lfs.huggingface.co marketplace.visualstudio.com open-vsx.org update.code.visualstudio.com playwright.azureedge.net cdn.playwright.dev`);

/** Mirrors of operating systems, and the package repositories that vendors keep for them. */
const SYSTEMS = list(`
  *.debian.org *.ubuntu.com *.alpinelinux.org *.fedoraproject.org *.centos.org *.rockylinux.org *.almalinux.org *.archlinux.org *.opensuse.org
  *.kali.org *.freebsd.org cache.nixos.org channels.nixos.org nixos.org formulae.brew.sh brew.sh community.chocolatey.org
  packages.microsoft.com aka.ms download.microsoft.com apt.kitware.com apt.llvm.org apt.postgresql.org www.postgresql.org ftp.postgresql.org
  download.sublimetext.com download.spotify.com dl.winehq.org download.opensuse.org packages.cloud.google.com developer.download.nvidia.com
  cli.github.com ftp.gnu.org ftpmirror.gnu.org cdn.kernel.org kernel.org ppa.launchpad.net ppa.launchpadcontent.net api.launchpad.net apt.corretto.aws archive.apache.org downloads.apache.org dlcdn.apache.org`);

/** Where source code is fetched from. */
const SOURCES = list(`
  github.com api.github.com raw.githubusercontent.com codeload.github.com objects.githubusercontent.com release-assets.githubusercontent.com github.githubassets.com
  gitlab.com bitbucket.org codeberg.org sr.ht git.sr.ht git.kernel.org salsa.debian.org sourceware.org git.savannah.gnu.org`);

/** The references that developers read. */
const REFERENCES = list(`
  developer.mozilla.org docs.python.org docs.npmjs.com docs.rs doc.rust-lang.org pkg.go.dev learn.microsoft.com docs.microsoft.com code.visualstudio.com
  www.typescriptlang.org typescriptlang.org react.dev vuejs.org vite.dev vitejs.dev vitest.dev svelte.dev angular.dev nextjs.org nuxt.com tailwindcss.com
  docs.docker.com kubernetes.io helm.sh docs.github.com docs.gitlab.com git-scm.com www.sqlite.org sqlite.org dev.mysql.com mariadb.com
  docs.djangoproject.com flask.palletsprojects.com fastapi.tiangolo.com numpy.org pandas.pydata.org pytorch.org docs.pytest.org
  ruby-doc.org docs.ruby-lang.org guides.rubyonrails.org www.php.net docs.oracle.com docs.spring.io docs.aws.amazon.com cloud.google.com developer.apple.com developer.android.com
  www.w3.org www.rfc-editor.org datatracker.ietf.org tc39.es en.cppreference.com man7.org www.gnu.org en.wikipedia.org stackoverflow.com
  json.schemastore.org www.schemastore.org json-schema.org eslint.org prettier.io biomejs.dev`);

/** A look at the web is told to the search service that the agent has anyway. */
export const KNOWN_TO_TAKE_FROM: readonly string[] = [
  ...REGISTRIES,
  ...SYSTEMS,
  ...SOURCES,
  ...REFERENCES,
  "web search",
];
