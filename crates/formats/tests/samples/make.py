"""Makes the samples that stand beside it. They are kept, so that tests need none of this.

    python3 -m venv venv && venv/bin/pip install reportlab weasyprint fpdf2 pypdf cryptography \
        python-docx openpyxl python-pptx odfpy && venv/bin/python make.py

Runs on Debian with fonts-dejavu-core and groff; dates are set, so that little changes.
"""

import copy
import datetime
import io
import os
import struct
import subprocess
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
DAY = datetime.datetime(2024, 5, 6, 7, 8, 9)
PROSE = (
    "The quick brown fox jumps over the lazy dog. "
    "Efficient office workers find fluffy waffles difficult to afford."
)


def keep(name, data):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)
    print(f"{len(data):7} {name}")


# PDF ------------------------------------------------------------------------------------------


def pdf_reportlab():
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

    out = io.BytesIO()
    style = getSampleStyleSheet()
    doc = SimpleDocTemplate(
        out, title="Ships and Shoes", author="L. Carroll", invariant=1, lang="en-GB"
    )
    doc.build(
        [
            Paragraph("Ships and Shoes", style["Title"]),
            Paragraph(PROSE, style["BodyText"]),
            Paragraph("Caf\u00e9 \u20ac 5 \u2013 na\u00efve \u201cquoted\u201d", style["BodyText"]),
            Paragraph('See <a href="https://example.org/sealing-wax">sealing wax</a> for more.',
                      style["BodyText"]),
            Table([["port", "ships"], ["Bristol", "42"]]),
            PageBreak(),
            Paragraph("Second page of cabbages.", style["BodyText"]),
        ]
    )
    return out.getvalue()


def pdf_weasyprint():
    import weasyprint

    html = f"""<html lang=el><title>Γλώσσες</title><meta name=author content="Jan Škoda">
    <style>@page {{ size: 12cm 16cm }} body {{ font: 11pt 'DejaVu Serif'; text-align: justify;
    hyphens: manual }}</style><h1>Γλώσσες της Ευρώπης</h1><p>{PROSE}</p>
    <p>Příliš žluťoučký kůň úpěl ďábelské ódy. Съешь ещё этих мягких булок.</p>
    <p>An extraor&shy;dinarily long word to break.</p>
    <p><a href="https://example.org/jazyky?x=1">jazyky světa</a></p>"""
    return weasyprint.HTML(string=html).write_pdf()


def pdf_fpdf():
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_creation_date(DAY.replace(tzinfo=datetime.timezone.utc))
    pdf.add_page()
    pdf.add_font("D", fname="/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    pdf.set_font("D", size=12)
    pdf.set_title("Identity")
    pdf.multi_cell(0, 6, PROSE + " Ελληνικά кириллица.")
    return bytes(pdf.output())


def pdf_groff():
    """Type 1 fonts, words set by single moves: as TeX and troff write."""
    text = ".nr LL 4i\n.ds FAM T\n.TL\nThe Moves of Words\n.AU\nA. Troff\n.PP\n" + PROSE * 3 + "\n"
    env = dict(os.environ, SOURCE_DATE_EPOCH="1714979289", TZ="UTC")
    run = subprocess.run(
        ["groff", "-ms", "-Tpdf"], input=text.encode(), capture_output=True, check=True, env=env
    )
    return run.stdout


def pdf_objects(objects, root=1, tail=b""):
    """A file of these objects, with a plain cross reference table."""
    out = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Size %d/Root %d 0 R%s>>\n" % (len(objects) + 1, root, tail)
    return out + b"startxref\n%d\n%%%%EOF\n" % start


def pdf_xref_stream(inside):
    """A file whose pages are said to stand in this stream of objects."""
    out = b"%PDF-1.7\n"
    first = len(out)
    out += b"1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    third = len(out)
    out += b"3 0 obj\n" + inside + b"\nendobj\n"
    start = len(out)
    rows = [(0, 0, 0), (1, first, 0), (2, 3, 0), (1, third, 0), (1, start, 0)]
    table = b"".join(struct.pack(">BHB", *row) for row in rows)
    out += b"4 0 obj\n" + stream(table, b"/Type/XRef/Size 5/W[1 2 1]/Root 1 0 R") + b"\nendobj\n"
    return out + b"startxref\n%d\n%%%%EOF\n" % start


def stream(data, entries=b""):
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(data), entries, data)


def pdf_by_hand(content, font=None, more=(), resources=b"/Font<</F 5 0 R>>"):
    font = font or b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    return pdf_objects(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"
            b"/Resources<<" + resources + b">>>>",
            content if content.startswith(b"<<") else stream(content),
            font,
            *more,
        ]
    )


def pdf_words():
    """Gaps that are words, kerning that is none, text in two runs, lines torn by hyphens."""
    return pdf_by_hand(
        b"BT /F 10 Tf 10 150 Td [(W)80(ords)-278(by)-278(mov)15(es)] TJ "
        b"0 -14 Td (glu) Tj (ed r) Tj (ight) Tj "
        b"0 -14 Td 2 Tc (spaced) Tj 0 Tc "
        b"0 -14 Td (a hyphen-) Tj 0 -14 Td (ated word) Tj "
        b"1 0 0 1 10 60 Tm (H) Tj 7 Tf 3 -2 Td () Tj ET "
        b"BT /F 10 Tf 1 0 0 1 200 150 Tm (far) Tj 1 0 0 1 240 150 Tm (apart) Tj ET "
        b"/Span<</ActualText(actual)>>BDC BT /F 10 Tf 10 40 Td (#$%) Tj ET EMC"
    )


def pdf_differences():
    """Codes that mean what glyph names say."""
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Other/FirstChar 1/LastChar 9"
        b"/Widths[500 500 500 500 500 500 500 500 250]/Encoding<</Type/Encoding"
        b"/Differences[1/Zcaron/lslash/uni0416/f_i/eacute.alt/u1F600/alpha/ffl/space]>>>>"
    )
    return pdf_by_hand(b"BT /F 12 Tf 10 100 Td <0102090304090506090708> Tj ET", font)


def pdf_object_streams(plain):
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=io.BytesIO(plain))
    writer.compress_identical_objects()
    out = io.BytesIO()
    writer.write(out)
    source = os.path.join(HERE, "plain.tmp")
    with open(source, "wb") as file:
        file.write(out.getvalue())
    run = ["qpdf", "--object-streams=generate", "--deterministic-id", source, "-"]
    packed = subprocess.run(run, capture_output=True, check=True).stdout
    os.remove(source)
    return packed


def pdf_locked(plain, user):
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=io.BytesIO(plain))
    writer.encrypt(user_password=user, owner_password="owner", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def hostile_pdfs():
    ring = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[2 0 R 3 0 R]/Parent 2 0 R>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox 6 0 R/Contents[4 0 R 4 0 R]"
        b"/Resources<</Font 7 0 R/XObject<</X 5 0 R>>>>>>",
        stream(b"/X Do /X Do BT /F 9 Tf (ring) Tj ET"),
        stream(b"/X Do /X Do /X Do", b"/Type/XObject/Subtype/Form/Resources<</XObject<</X 5 0 R>>>>"),
        b"6 0 R",
        b"8 0 R",
        b"7 0 R",
    ]
    keep("cycle.pdf", pdf_objects(ring))
    forms = [
        stream(b"/X Do " * 10, b"/Subtype/Form/Resources<</XObject<</X %d 0 R>>>>" % (number + 1))
        for number in range(6, 18)
    ]
    keep("forms.pdf", pdf_by_hand(
        b"BT /F 9 Tf (top) Tj ET /X Do", None, [*forms, stream(b"", b"/Subtype/Form")],
        b"/Font<</F 5 0 R>>/XObject<</X 6 0 R>>"))
    keep("long-stream.pdf", pdf_by_hand(
        b"<</Length 99999999999>>\nstream\nBT /F 9 Tf (long) Tj ET\nendstream"))
    keep("nested.pdf", pdf_by_hand(
        stream(zlib.compress(b"[" * 1_000_000 + b"BT /F 9 Tf (deep) Tj ET"), b"/Filter/FlateDecode")))
    twice = zlib.compress(zlib.compress(b" " * 1_000_000_000, 9), 9)
    keep("bomb.pdf", pdf_by_hand(stream(twice, b"/Filter[/FlateDecode/FlateDecode]")))
    inside = stream(twice, b"/Type/ObjStm/N 1/First 10/Filter[/FlateDecode/FlateDecode]")
    keep("object-bomb.pdf", pdf_xref_stream(inside))
    cmap = b"begincmap 1 begincodespacerange <0000><ffff> endcodespacerange " + (
        b"100 beginbfrange " + b"<00000000><ffffffff><0000> " * 100 + b"endbfrange endcmap")
    font = b"<</Type/Font/Subtype/Type1/BaseFont/X/ToUnicode 6 0 R>>"
    keep("endless-cmap.pdf", pdf_by_hand(b"BT /F 9 Tf (AB) Tj ET", font, [stream(cmap)]))


# Office ---------------------------------------------------------------------------------------


def fixed(data):
    """The same package with a fixed time in every entry."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            info = zipfile.ZipInfo(entry.filename, DAY.timetuple()[:6])
            info.compress_type = entry.compress_type
            new.writestr(info, old.read(entry))
    return out.getvalue()


def package(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name, DAY.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, data)
    return out.getvalue()


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx():
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import parse_xml

    document = docx.Document()
    props = document.core_properties
    props.title, props.author, props.created, props.modified = "Walrus", "Tenniel", DAY, DAY
    props.language = "en-GB"
    document.add_heading("The Walrus", 1)
    para = document.add_paragraph("Of shoes and ")
    para.add_run("shi").bold = True
    para.add_run("ps & sealing\u2011wax, ")
    link = document.part.relate_to(
        "https://example.org/oysters?a=1&b=2", RELATIONSHIP_TYPE.HYPERLINK, is_external=True
    )
    para._p.append(parse_xml(
        f'<w:hyperlink {W} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
        f'relationships" r:id="{link}"><w:r><w:t>oysters dear</w:t></w:r></w:hyperlink>'))
    field = document.add_paragraph()
    for inner in (
        '<w:fldChar w:fldCharType="begin"/>',
        '<w:instrText xml:space="preserve"> HYPERLINK "https://example.org/field" </w:instrText>',
        '<w:fldChar w:fldCharType="separate"/>', "<w:t>by field</w:t>",
        '<w:fldChar w:fldCharType="end"/>',
    ):
        field._p.append(parse_xml(f"<w:r {W}>{inner}</w:r>"))
    for item in ("cabbages", "kings"):
        document.add_paragraph(item, "List Bullet")
    table = document.add_table(2, 2)
    for row, cells in zip(table.rows, [["port", "ships"], ["Bristol", "42"]]):
        for cell, text in zip(row.cells, cells):
            cell.text = text
    out = io.BytesIO()
    document.save(out)
    # Its styles are most of it, and say nothing.
    wanted = ("[Content_Types].xml", "_rels/.rels", "word/document.xml",
              "word/_rels/document.xml.rels", "docProps/core.xml", "docProps/app.xml")
    with zipfile.ZipFile(io.BytesIO(out.getvalue())) as old:
        parts = {name: old.read(name) for name in wanted}
    parts["word/footnotes.xml"] = (
        f'<w:footnotes {W}><w:footnote w:id="1"><w:p><w:r><w:t>A note at the foot.</w:t></w:r>'
        "</w:p></w:footnote></w:footnotes>").encode()
    return package(parts)


def xlsx():
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.title, book.properties.creator = "Harbour", "Customs"
    book.properties.created = book.properties.modified = DAY
    sheet = book.active
    sheet.title = "Ships"
    sheet.append(["port", "ships", "open"])
    sheet.append(["Bristol", 42, True])
    sheet.append(["port", 1.5, "=1+1"])
    sheet["A4"] = "see more"
    sheet["A4"].hyperlink = "https://example.org/ships"
    sheet["B4"] = '=HYPERLINK("https://example.org/formula","formula")'
    book.create_sheet("Crews").append(["Ahab"])
    out = io.BytesIO()
    book.save(out)
    parts = {}
    with zipfile.ZipFile(io.BytesIO(out.getvalue())) as old:
        for entry in old.infolist():
            parts[entry.filename] = old.read(entry)
    del parts["xl/theme/theme1.xml"]
    core = parts["docProps/core.xml"].decode()
    start = core.index(">", core.index("<dcterms:modified")) + 1
    parts["docProps/core.xml"] = (core[:start] + "2024-05-06" + core[start + 20 :]).encode()
    # One text in its cell itself, as some programs write.
    crews = parts["xl/worksheets/sheet2.xml"].decode()
    start, end = crews.index("<c "), crews.index("</c>") + 4
    crews = crews[:start] + '<c r="A1" t="inlineStr"><is><t>Ahab inline</t></is></c>' + crews[end:]
    parts["xl/worksheets/sheet2.xml"] = crews.encode()
    return package(parts)


def pptx():
    from pptx import Presentation
    from pptx.util import Inches

    show = Presentation()
    props = show.core_properties
    props.title, props.author, props.created, props.modified = "Voyage", "Cook", DAY, DAY
    first = show.slides.add_slide(show.slide_layouts[1])
    first.shapes.title.text = "First Voyage"
    run = first.placeholders[1].text_frame.paragraphs[0].add_run()
    run.text = "the log"
    run.hyperlink.address = "https://example.org/log"
    first.notes_slide.notes_text_frame.text = "Speak of the transit of Venus."
    second = show.slides.add_slide(show.slide_layouts[5])
    second.shapes.title.text = "Second Voyage"
    table = second.shapes.add_table(1, 2, 0, 0, Inches(2), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Resolution", "Adventure"
    out = io.BytesIO()
    show.save(out)
    parts = {}
    with zipfile.ZipFile(io.BytesIO(out.getvalue())) as old:
        for entry in old.infolist():
            name = entry.filename
            if not any(word in name for word in ("Layout", "Master", "theme", "thumbnail", "printer")):
                parts[name] = old.read(entry)
    return package(parts)


def odt():
    from odf import meta, dc
    from odf.opendocument import OpenDocumentText
    from odf.table import Table, TableCell, TableRow
    from odf.text import A, H, List, ListItem, Note, NoteBody, NoteCitation, P, S

    doc = OpenDocumentText()
    doc.meta.addElement(dc.Title(text="Odyssey"))
    doc.meta.addElement(meta.InitialCreator(text="Homer"))
    doc.meta.addElement(dc.Language(text="grc"))
    doc.meta.addElement(meta.CreationDate(text="2024-05-06T07:08:09"))
    doc.text.addElement(H(outlinelevel=1, text="Book One"))
    para = P(text="Tell me, O muse,")
    para.addElement(S(c=2))
    para.addText("of that ingenious ")
    para.addElement(A(href="https://example.org/hero", text="hero"))
    note = Note(noteclass="footnote", id="n1")
    note.addElement(NoteCitation(text="1"))
    body = NoteBody()
    body.addElement(P(text="Ulysses is meant."))
    note.addElement(body)
    para.addElement(note)
    doc.text.addElement(para)
    items = List()
    for text in ("Circe", "Calypso"):
        item = ListItem()
        item.addElement(P(text=text))
        items.addElement(item)
    doc.text.addElement(items)
    table = Table()
    for cells in (["isle", "years"], ["Ogygia", "7"]):
        row = TableRow()
        for text in cells:
            cell = TableCell()
            cell.addElement(P(text=text))
            row.addElement(cell)
        table.addElement(row)
    doc.text.addElement(table)
    out = io.BytesIO()
    doc.write(out)
    return fixed(out.getvalue())


def ods():
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    doc = OpenDocumentSpreadsheet()
    table = Table(name="Stock")
    for cells in (["wine", "12"], ["oars", "50"]):
        row = TableRow()
        for text in cells:
            cell = TableCell(valuetype="string")
            cell.addElement(P(text=text))
            row.addElement(cell)
        table.addElement(row)
    doc.spreadsheet.addElement(table)
    out = io.BytesIO()
    doc.write(out)
    return fixed(out.getvalue())


def odp():
    from odf.draw import Frame, Page, TextBox
    from odf.opendocument import OpenDocumentPresentation
    from odf.style import MasterPage, PageLayout
    from odf.text import P

    doc = OpenDocumentPresentation()
    layout = PageLayout(name="L")
    doc.automaticstyles.addElement(layout)
    master = MasterPage(name="M", pagelayoutname=layout)
    doc.masterstyles.addElement(master)
    for text in ("Scylla", "Charybdis"):
        page = Page(masterpagename=master)
        frame = Frame(width="5cm", height="2cm")
        box = TextBox()
        box.addElement(P(text=text))
        frame.addElement(box)
        page.addElement(frame)
        doc.presentation.addElement(page)
    out = io.BytesIO()
    doc.write(out)
    return fixed(out.getvalue())


TYPES = (
    b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    b'<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def hostile_docx():
    def word(document):
        return package({"[Content_Types].xml": TYPES, "word/document.xml": document})

    def body(inner):
        return f"<w:document {W}><w:body>".encode() + inner + b"</w:body></w:document>"

    keep("bomb.docx", overlapping(body(b" " * 17_000_000)))
    keep("nested.docx", word(body(b"<w:p><w:r><w:t>top</w:t></w:r></w:p>" + b"<w:x>" * 1_000_000)))
    laughs = "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
    keep("laughs.docx", word(
        f"<?xml version='1.0'?><!DOCTYPE w [{laughs}]>".encode()
        + body(b"<w:p><w:r><w:t>before &l9; behind</w:t></w:r></w:p>")))
    keep("locked.docx", compound())


def overlapping(document):
    """Four parts that are one and the same piece of the file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        new.writestr(zipfile.ZipInfo("[Content_Types].xml", DAY.timetuple()[:6]), TYPES)
        info = zipfile.ZipInfo("word/document.xml", DAY.timetuple()[:6])
        info.compress_type = zipfile.ZIP_DEFLATED
        new.writestr(info, document)
        for name in ("styles", "footnotes", "endnotes"):
            other = copy.copy(info)
            other.filename = f"word/{name}.xml"
            new.filelist.append(other)
    return out.getvalue()


def compound():
    """The outside of an Office file behind a password: a compound file with its two entries."""
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    head += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0,
                        0xFFFFFFFE, 0)
    head += struct.pack("<I", 0) + b"\xff" * (512 - len(head) - 4)
    fat = struct.pack("<II", 0xFFFFFFFD, 0xFFFFFFFE).ljust(512, b"\xff")
    entries = b""
    for name, kind in (("Root Entry", 5), ("EncryptionInfo", 2), ("EncryptedPackage", 2), ("", 0)):
        wide = (name + "\0").encode("utf-16-le") if name else b""
        entries += wide.ljust(64, b"\0") + struct.pack("<HB", len(wide), kind) + bytes(61)
    return head + fat + entries


# RTF ------------------------------------------------------------------------------------------

RTF = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fcharset204 Arial;}}"
    r"{\colortbl;\red255\green0\blue0;}{\*\generator Made by hand;}"
    r"{\info{\title The Raven}{\author E. A. Poe}{\creatim\yr2024\mo5\dy6\hr7\min8}{\nofpages2}}"
    "\n"
    r"\pard Once upon a \b mid\b0 night dreary\par caf\'e9 \u8364? \u-10179?\u-8704? \emdash "
    r"\f1 \'cf\'f0\'e8\'e2\'e5\'f2\f0\par "
    r'{\field{\*\fldinst{HYPERLINK "https://example.org/raven" }}{\fldrslt{\ul quoth he}}} behind\par '
    r"one\cell two\cell\row {\pict\pngblip 89504e47}\{braces\}\par }"
)


def main():
    plain = pdf_reportlab()
    keep("reportlab.pdf", plain)
    keep("object-streams.pdf", pdf_object_streams(plain))
    keep("weasyprint.pdf", pdf_weasyprint())
    keep("fpdf.pdf", pdf_fpdf())
    keep("groff.pdf", pdf_groff())
    keep("words.pdf", pdf_words())
    keep("differences.pdf", pdf_differences())
    keep("locked.pdf", pdf_locked(plain, "secret"))
    keep("owner-locked.pdf", pdf_locked(plain, ""))
    keep("truncated.pdf", plain[: len(plain) * 9 // 10])
    hostile_pdfs()
    keep("sample.docx", docx())
    keep("sample.xlsx", xlsx())
    keep("sample.pptx", pptx())
    keep("sample.odt", odt())
    keep("sample.ods", ods())
    keep("sample.odp", odp())
    with open(os.path.join(HERE, "sample.docx"), "rb") as file:
        whole = file.read()
    keep("truncated.docx", whole[: len(whole) // 2])
    hostile_docx()
    keep("sample.rtf", RTF.encode("ascii"))
    keep("truncated.rtf", RTF[:500].encode("ascii"))
    keep("nested.rtf", b"{\\rtf1 top" + b"{" * 5_000)
    keep("sample.ps", b"%!PS-Adobe-3.0\n/Helvetica findfont 12 scalefont setfont\n"
                      b"72 720 moveto (never run) show\n{} loop\n")


main()
