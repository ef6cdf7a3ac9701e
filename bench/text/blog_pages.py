"""Blogs: posts in Markdown, made by Hexo with two themes and by Pelican with its own.

Posts are the READMEs and other files in Markdown of packages of npm. Gold is the title and the text of the Markdown, without
what the theme adds: dates, tags, categories, archives, lists of recent posts, share links.
"""

import json
import re
import shutil
import subprocess
import sys
from datetime import date, timedelta

from corpus import chance
from markdown_it import MarkdownIt
from registry import npm

# A name and a version each.
POSTS = """
    agenda@6.2.6 ajv@8.20.0 amqplib@2.3.1 anymatch@3.1.3 async@3.2.6 axios@1.21.1 bcrypt@6.0.0
    bignumber.js@11.1.5 bl@7.0.13 bluebird@3.7.2 body-parser@2.4.0 braces@3.0.3 bull@4.16.5
    bunyan@2.0.5 busboy@1.6.0 bytes@3.1.2 cac@7.1.0 chai@6.3.0 chalk@6.0.1 cheerio@1.2.0
    chokidar@6.0.0 commander@15.1.0 concurrently@10.0.7 config@5.0.1 convict@6.2.5 cors@2.8.6
    cosmiconfig@10.0.1 cross-env@10.1.0 cross-spawn@7.0.6 date-fns@4.4.0 dayjs@1.11.23
    debug@4.4.3 decimal.js@10.6.0 del@8.0.1 dotenv@18.0.10 ejs@7.0.2 engine.io@6.6.11
    execa@10.2.1 express@5.3.0 fast-glob@3.3.3 fastify@5.12.8 formidable@3.5.4 fs-extra@11.4.1
    glob@14.0.4 globby@16.2.4 got@16.1.0 graceful-fs@4.2.11 handlebars@4.7.10 hapi@18.1.0
    helmet@8.3.0 husky@9.1.7 immer@11.2.10 inquirer@14.2.5 ioredis@6.0.0 jimp@1.6.1 joi@18.3.0
    jsdom@31.0.0 jsonwebtoken@9.0.3 knex@3.3.0 koa@3.2.1 less@4.9.1 level@10.0.0 leveldown@6.1.1
    lint-staged@17.6.0 log4js@6.9.1 loglevel@1.9.2 lowdb@7.0.1 lru-cache@11.5.3 luxon@3.7.2
    markdown-it@15.0.3 marked@18.2.0 mathjs@15.2.0 meow@14.1.0 micromatch@4.0.8 minimatch@11.0.7
    minimist@1.2.8 mkdirp@3.0.1 mobx@7.1.3 mocha@12.0.3 mongoose@9.12.0 morgan@1.12.1 mqtt@5.16.0
    ms@2.1.3 multer@2.5.0 mustache@4.2.0 mysql2@3.24.5 nanoid@6.0.2 nedb@1.8.0 nock@15.0.2
    node-cron@4.6.0 node-fetch@3.3.2 nodemailer@10.4.0 nodemon@3.1.14 numeral@2.0.6
    optimist@0.6.1 ora@9.4.1 p-limit@7.3.3 passport@0.7.0 path-to-regexp@9.0.0 pg@8.23.1
    picomatch@4.0.7 pino@10.4.0 prettier@3.9.10 prompts@2.4.2 pug@3.0.4 pump@3.0.4
    puppeteer-core@25.16.0 qs@6.17.1 query-string@10.0.0 ramda@0.32.0 rc@1.2.8
    readable-stream@4.8.0 redis@6.3.1 redux@5.0.1 redux-thunk@3.1.0 reselect@5.3.0 rimraf@6.1.4
    rollup@4.68.2 rxjs@7.8.2 semver@7.8.6 serialport@13.0.0 sharp@0.35.5 shelljs@0.10.0
    sinon@22.1.0 socket.io@4.8.4 socket.io-client@4.8.4 superagent@10.4.2 supertest@7.3.2
    through2@5.0.12 tmp@0.2.7 underscore@1.13.8 url-parse@1.5.10 uuid@14.0.3 validator@13.15.35
    which@7.0.0 winston@3.19.0 ws@8.22.2 yargs@18.2.0 yup@1.7.1 zod@4.6.7
""".split()
HEXO = {
    "hexo": "8.1.2", "hexo-generator-archive": "2.0.0", "hexo-generator-category": "2.0.0",
    "hexo-generator-index": "4.0.0", "hexo-generator-tag": "2.0.0", "hexo-renderer-ejs": "2.0.0",
    "hexo-renderer-marked": "7.0.1", "hexo-renderer-stylus": "3.0.1",
    "hexo-theme-landscape": "1.1.0", "hexo-theme-next": "8.29.0",
}  # fmt: skip
BLOGS = ["hexo-landscape", "hexo-next", "pelican-notmyidea"]
CATEGORIES = ["Tools", "Servers", "Data", "Notes"]
FIRST = date(2024, 1, 3)
# Of one package, and the least and most bytes of one.
POSTS_MAX = 3
SIZES = (1_000, 40_000)
LEFT_OUT = re.compile(r"(?i)node_modules|licen[cs]e")
# What a template engine would take for its own.
TEMPLATES = re.compile(r"\{\{|\{%|\{#|<!--")
SETTINGS = """
title: {title}
subtitle: What we read this week
author: Casey Writer
language: en
url: https://blog.example
theme: {theme}
per_page: 10
syntax_highlighter: highlight.js
marked: {{ headerIds: true, gfm: true, breaks: false }}
"""
PELICAN = """
AUTHOR = "Casey Writer"
SITENAME = "Casey reads"
SITEURL = ""
PATH = "content"
TIMEZONE = "UTC"
DEFAULT_LANG = "en"
THEME = "notmyidea"
FEED_ALL_ATOM = "feeds/all.atom.xml"
LINKS = (("Debian", "https://www.debian.org/"), ("npm", "https://www.npmjs.com/"))
SOCIAL = (("mastodon", "https://social.example/@casey"), ("github", "https://github.com/casey"))
DEFAULT_PAGINATION = 10
MARKDOWN = {{"extensions": ["fenced_code", "tables"]}}
"""


def make(shelf, bookworm):
    posts = [post for package in POSTS for post in posts_of(package, bookworm.cache)]
    for number, post in enumerate(posts):
        post["day"] = FIRST + timedelta(days=5 * number)
        post["blog"] = BLOGS[chance(post["slug"]) % len(BLOGS)]
    for blog in BLOGS:
        mine = [post for post in posts if post["blog"] == blog]
        folder = shelf.work / blog
        pages = pelican(folder, mine) if blog.startswith("pelican") else hexo(folder, blog, mine)
        for post in mine:
            page = pages.get(post["slug"])
            if page is None:
                print(f"left out: {blog} made no page of {post['slug']}")
                continue
            shelf.add(blog, post["slug"], page.read_bytes(), post["gold"])


def posts_of(package, cache):
    name, version = package.rsplit("@", 1)
    folder = npm(name, version, cache)
    files = [it for it in sorted(folder.rglob("*")) if it.suffix.lower() == ".md" and it.is_file()]
    # The README first, and no package has the word for long.
    files.sort(key=lambda it: it.name.lower() != "readme.md")
    files = [it for it in files if not LEFT_OUT.search(str(it.relative_to(folder)))]
    posts = (read(file, name, folder) for file in files)
    return [post for post in posts if post][:POSTS_MAX]


def read(file, name, folder):
    """A file as a post, unless it is a leaf or a book, or a template engine would take some of it."""
    text = without_html(file.read_text(errors="replace"))
    tokens = parser().parse(text)
    inline = [child for token in tokens for child in token.children or []]
    has_html = any(token.type in ("html_block", "html_inline") for token in [*tokens, *inline])
    if has_html or TEMPLATES.search(text) or not SIZES[0] < len(text) < SIZES[1]:
        return None
    title = name
    if len(tokens) > 1 and tokens[0].tag == "h1":
        title = plain(tokens[1:2]).strip() or name
        # The theme shows it above the text.
        text = "\n".join(text.splitlines()[tokens[0].map[1] :])
        tokens = tokens[3:]
    about = json.loads((folder / "package.json").read_text())
    words = about.get("keywords") or []
    tags = [word for word in words if isinstance(word, str) and re.fullmatch(r"[a-z]+", word)]
    return {
        "slug": re.sub(r"\W+", "-", f"{name}-{file.relative_to(folder).with_suffix('')}").lower(),
        "title": re.sub(r"[\"\n\\]", " ", title),
        "text": text,
        "gold": f"{title}\n{plain(tokens)}",
        "tags": tags[:5],
        "category": CATEGORIES[chance(name) % len(CATEGORIES)],
    }


def without_html(text):
    """The text without its blocks of HTML: badges and logos mostly."""
    lines = text.splitlines()
    for token in reversed(parser().parse(text)):
        if token.type == "html_block":
            lines[token.map[0] : token.map[1]] = [""]
    return "\n".join(lines)


def parser():
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def plain(tokens):
    """The words of Markdown: text and code, not addresses nor pictures."""
    parts = []
    for token in tokens:
        if token.type == "inline":
            for child in token.children:
                if child.type in ("text", "code_inline"):
                    parts.append(child.content)
                elif child.type in ("softbreak", "hardbreak"):
                    parts.append("\n")
            parts.append("\n")
        elif token.type in ("fence", "code_block"):
            parts.append(token.content)
    return "".join(parts)


def hexo(folder, blog, posts):
    theme = blog.partition("-")[2]
    source = folder / "source" / "_posts"
    shutil.rmtree(folder / "source", ignore_errors=True)
    source.mkdir(parents=True)
    (folder / "package.json").write_text(
        json.dumps({"name": "blog", "private": True, "hexo": {"version": ""}, "dependencies": HEXO})
    )
    (folder / "_config.yml").write_text(SETTINGS.format(title="Casey reads", theme=theme))
    for post in posts:
        head = {key: post[key] for key in ("title", "tags")}
        head |= {"date": str(post["day"]), "categories": [post["category"]]}
        lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items())
        (source / f"{post['slug']}.md").write_text(f"---\n{lines}---\n{post['text']}")
    if not (folder / "node_modules").is_dir():
        run(["npm", "install", "--no-audit", "--no-fund", "--silent"], folder)
    run(["node_modules/.bin/hexo", "generate", "--force"], folder)
    return {page.parent.name: page for page in folder.glob("public/2*/*/*/*/index.html")}


def pelican(folder, posts):
    content = folder / "content"
    shutil.rmtree(content, ignore_errors=True)
    content.mkdir(parents=True)
    (folder / "settings.py").write_text(PELICAN.replace("{{", "{").replace("}}", "}"))
    for post in posts:
        head = f"Title: {post['title']}\nDate: {post['day']}\nCategory: {post['category']}\n"
        head += f"Tags: {', '.join(post['tags'])}\nSlug: {post['slug']}\n"
        (content / f"{post['slug']}.md").write_text(f"{head}\n{post['text']}")
    run([sys.executable, "-m", "pelican", "content", "-s", "settings.py", "-o", "output"], folder)
    return {page.stem: page for page in folder.glob("output/*.html")}


def run(words, folder):
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
