"""Doxygen: headers of C and C++ with comments.

Gold is what Doxygen's XML has of the comments and signatures of the compound. As the page does by
its own rule, a member has its signature and brief text in the summary, and both again with the
detailed text where it has one; sections have the headings of its layout. Members that are inherited
belong to another page: not in the gold.
"""

import re
import subprocess

from lxml import etree

# A package of Debian with headers, and whether the page has the tree of the whole at its side.
BOOKS = [
    ("libassimp-dev", True),
    ("libbox2d-dev", False),
    ("libgeographiclib-dev", True),
    ("libgit2-dev", False),
    ("libglfw3-dev", False),
    ("libosmium2-dev", True),
    ("libsdl2-dev", True),
    ("libsfml-dev", False),
    ("libtag1-dev", False),
    ("libxapian-dev", True),
]
KINDS = {"class", "struct", "union", "namespace", "group", "page", "file"}
SETTINGS = """
PROJECT_NAME = {name}
PROJECT_BRIEF = "Reference manual"
INPUT = {folder}
RECURSIVE = YES
FILE_PATTERNS = *.h *.hpp *.hh *.dox *.md
OUTPUT_DIRECTORY = {out}
GENERATE_LATEX = NO
GENERATE_XML = YES
GENERATE_TREEVIEW = {tree}
JAVADOC_AUTOBRIEF = YES
HAVE_DOT = NO
QUIET = YES
WARNINGS = NO
MACRO_EXPANSION = YES
STRIP_FROM_PATH = {folder}
STRIP_FROM_INC_PATH = {folder}/usr/include
XML_PROGRAMLISTING = NO
VERBATIM_HEADERS = NO
"""
LABELS = {
    "see": "See also", "return": "Returns", "author": "Author", "authors": "Authors",
    "version": "Version", "since": "Since", "date": "Date", "note": "Note", "warning": "Warning",
    "pre": "Precondition", "post": "Postcondition", "copyright": "Copyright",
    "invariant": "Invariant", "remark": "Remarks", "attention": "Attention", "rcs": "",
    "param": "Parameters", "retval": "Return values", "exception": "Exceptions",
    "templateparam": "Template Parameters", "par": "",
}  # fmt: skip
SECTIONS = {
    "public-func": "Public Member Functions", "public-attrib": "Public Attributes",
    "public-type": "Public Types", "public-static-func": "Static Public Member Functions",
    "public-static-attrib": "Static Public Attributes", "friend": "Friends",
    "protected-func": "Protected Member Functions", "protected-attrib": "Protected Attributes",
    "protected-type": "Protected Types", "related": "Related Functions",
    "protected-static-func": "Static Protected Member Functions",
    "protected-static-attrib": "Static Protected Attributes",
    "define": "Macros", "typedef": "Typedefs", "enum": "Enumerations", "func": "Functions",
    "var": "Variables",
}  # fmt: skip
DETAILS = {
    "function": "Function Documentation", "variable": "Variable Documentation",
    "enum": "Enumeration Documentation", "typedef": "Typedef Documentation",
    "define": "Macro Definition Documentation",
}  # fmt: skip
INLINE = {
    "bold", "computeroutput", "emphasis", "highlight", "nonbreakablespace", "ref", "subscript",
    "superscript", "ulink", "anchor", "small", "s", "ndash", "mdash", "sp",
}  # fmt: skip


def make(shelf, bookworm):
    for package, has_tree in BOOKS:
        folder = bookworm.binary(package)
        out = shelf.work / package
        out.mkdir(parents=True, exist_ok=True)
        settings = out / "Doxyfile"
        tree = "YES" if has_tree else "NO"
        settings.write_text(SETTINGS.format(name=package, folder=folder, out=out, tree=tree))
        subprocess.run(["doxygen", settings], check=True, capture_output=True)
        briefs = {}
        compounds = []
        for file in sorted((out / "xml").glob("*.xml")):
            root = etree.parse(str(file)).find("compounddef")
            if root is not None:
                compounds.append(root)
                briefs[root.get("id")] = part(root, "briefdescription")
        for root in compounds:
            page = out / "html" / f"{root.get('id')}.html"
            if root.get("kind") in KINDS and page.is_file():
                shelf.add(package, page.stem, page.read_bytes(), text_of(root, briefs))


def text_of(root, briefs):
    kind = root.get("kind")
    brief = part(root, "briefdescription")
    detail = part(root, "detaileddescription")
    lines = [part(root, "title") or f"{part(root, 'compoundname')} {kind} Reference"]
    if kind != "page":
        lines.append(brief)
        lines += summary(root, briefs)
    if detail or brief:
        lines += ["" if kind == "page" else "Detailed Description"]
        if template(root):
            lines += [*template(root), kind, part(root, "compoundname")]
        lines += [brief, detail]
    heading = None
    for member in shown(root):
        # A file lists members that are told of on the page of their group.
        if not member.get("id").startswith(root.get("id")) or not is_detailed(member):
            continue
        if heading != detail_heading(root, member):
            heading = detail_heading(root, member)
            lines.append(heading)
        # Once as the heading, once in the signature.
        lines += [part(member, "name"), signature(member, is_detail=True)]
        lines += [part(member, "briefdescription"), part(member, "detaileddescription")]
        values = member.findall("enumvalue")
        if values:
            lines.append("Enumerator")
        lines += [" ".join([part(value, name) for name in VALUE]) for value in values]
    return "\n".join(line for line in lines if line)


def summary(root, briefs):
    lines = [f"include {include.text}" for include in root.iterfind("includes")]
    inner = [it for it in root.iterfind("innerclass") if it.get("prot") != "private"]
    if inner:
        lines.append("Classes")
    for it in inner:
        kind = next((word for word in ("class", "struct") if it.get("refid").startswith(word)), "")
        lines += [kind, it.text, briefs.get(it.get("refid"), "")]
    for section in root.iterfind("sectiondef"):
        members = [it for it in section.iterfind("memberdef") if it.get("prot") != "private"]
        if members:
            lines.append(part(section, "header") or SECTIONS.get(section.get("kind"), ""))
            lines.append(part(section, "description"))
        for member in members:
            lines += [signature(member), part(member, "briefdescription")]
    return lines


def shown(root):
    members = root.iterfind("sectiondef/memberdef")
    return [member for member in members if member.get("prot") != "private"]


def detail_heading(root, member):
    """What the layout calls members of this kind."""
    name, owner = part(member, "name"), part(root, "compoundname").rsplit("::", 1)[-1]
    is_type = root.get("kind") in ("class", "struct", "union")
    if is_type and name.lstrip("~") == owner:
        return "Constructor & Destructor Documentation"
    heading = DETAILS.get(member.get("kind"), "")
    return f"Member {heading.replace('Variable', 'Data')}" if is_type else heading


VALUE = ["name", "briefdescription", "detaileddescription"]


def is_detailed(member):
    values = member.iterfind("enumvalue")
    told = any(part(value, name) for value in values for name in VALUE[1:])
    relates = member.find("reimplements") is not None or member.find("reimplementedby") is not None
    is_related = relates and bool(part(member, "briefdescription"))
    return bool(part(member, "detaileddescription")) or told or is_related


def signature(member, is_detail=False):
    """As the source has it; with the name of its class before its own in the detail."""
    kind = member.get("kind")
    owner = member.getparent().getparent()
    words = (template(owner) if is_detail else []) + template(member)
    if kind in ("define", "typedef", "enum", "union"):
        words.append(kind)
    if member.get("static") == "yes":
        words.append("static")
    arguments = part(member, "argsstring")
    if member.get("virt") in ("virtual", "pure-virtual") and not OVERRIDES.search(arguments):
        words.append("virtual")
    if is_detail:
        words += [word for key, word in DETAILED if member.get(key) == "yes"]
    qualified = part(member, "definition") if is_detail else ""
    # A definition of a typedef begins with the word itself; it stands already.
    qualified = qualified.removeprefix("typedef ").removeprefix("static ").removeprefix("virtual ")
    words += [qualified] if qualified else [part(member, "type"), part(member, "name")]
    words.append(arguments)
    if kind == "define":
        words += [part(param, "defname") for param in member.iterfind("param")]
    if kind == "enum" and not is_detail:
        for value in member.iterfind("enumvalue"):
            words += [part(value, "name"), part(value, "initializer")]
    if kind in ("define", "variable"):
        words.append(part(member, "initializer"))
    return " ".join(words)


def template(element):
    """The parameters of a template, or nothing."""
    parameters = element.findall("templateparamlist/param")
    words = [part(it, name) for it in parameters for name in ("type", "declname")]
    return ["template", *words] if parameters else []


OVERRIDES = re.compile(r"\b(override|final)\b")
DETAILED = [("inline", "inline"), ("explicit", "explicit")]


def part(element, name):
    """The text of the child of this name, or nothing."""
    child = element.find(name)
    return "" if child is None else plain(child).strip()


def plain(element):
    parts = []

    def visit(node):
        kind = node.get("kind")
        before = node.getprevious()
        is_first = before is None or before.tag != node.tag or before.get("kind") != kind
        if node.tag in ("simplesect", "parameterlist") and is_first and LABELS.get(kind):
            parts.append(f"\n{LABELS[kind]}\n")
        if node.tag == "parametername" and node.get("direction"):
            parts.append(f"{node.get('direction').replace('inout', 'in out')} ")
        if node.tag == "sp":
            parts.append(" ")
        parts.append(node.text or "")
        for child in node:
            gap = "" if child.tag in INLINE else "\n"
            if isinstance(child.tag, str):
                parts.append(gap)
                visit(child)
                parts.append(gap)
            parts.append(child.tail or "")

    visit(element)
    return "".join(parts)
