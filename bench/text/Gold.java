import com.sun.source.doctree.*;
import com.sun.source.util.DocTrees;
import com.sun.source.util.SimpleDocTreeVisitor;
import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import jdk.javadoc.doclet.*;

/**
 * Writes the gold of every class: its signature and comment, then each member in a summary
 * (signature and first sentence) and again in detail, as the standard pages do. What is inherited
 * is not in it. Members that are not public or protected are left out.
 */
public class Gold implements Doclet {
    private Path folder;
    private DocTrees trees;
    private Elements elements;
    private Types types;
    private StringBuilder out;

    @Override public void init(Locale locale, Reporter reporter) {}
    @Override public String getName() { return "Gold"; }
    @Override public SourceVersion getSupportedSourceVersion() { return SourceVersion.latest(); }

    @Override public Set<? extends Option> getSupportedOptions() {
        return Set.of(new Option() {
            @Override public int getArgumentCount() { return 1; }
            @Override public String getDescription() { return "folder"; }
            @Override public Kind getKind() { return Kind.STANDARD; }
            @Override public List<String> getNames() { return List.of("--gold"); }
            @Override public String getParameters() { return "FOLDER"; }
            @Override public boolean process(String name, List<String> words) {
                folder = Path.of(words.get(0));
                return true;
            }
        });
    }

    @Override public boolean run(DocletEnvironment environment) {
        trees = environment.getDocTrees();
        elements = environment.getElementUtils();
        types = environment.getTypeUtils();
        for (TypeElement type : ElementFilter.typesIn(environment.getIncludedElements())) {
            out = new StringBuilder();
            page(type);
            try {
                String name = environment.getElementUtils().getPackageOf(type) + "." + flat(type);
                Files.writeString(folder.resolve(name + ".txt"), out);
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        }
        return true;
    }

    /** The name of the page: nested classes have a dot. */
    private static String flat(TypeElement type) {
        String name = type.getSimpleName().toString();
        Element around = type.getEnclosingElement();
        return around instanceof TypeElement outer ? flat(outer) + "." + name : name;
    }

    private void page(TypeElement type) {
        say("Package " + packageOf(type));
        say(kind(type) + " " + flat(type) + parameters(type.getTypeParameters()));
        say(typeSignature(type));
        comment(type);
        Map<String, List<Element>> groups = new LinkedHashMap<>();
        for (Element member : type.getEnclosedElements()) {
            boolean isSeen = member.getModifiers().contains(Modifier.PUBLIC)
                || member.getModifiers().contains(Modifier.PROTECTED);
            String group = group(member);
            if (isSeen && group != null) {
                groups.computeIfAbsent(group, it -> new ArrayList<>()).add(member);
            }
        }
        groups.forEach((group, members) -> {
            say(group + " Summary");
            say(COLUMNS.get(group));
            for (Element member : members) {
                say(signature(member, false));
                first(member);
            }
        });
        groups.forEach((group, members) -> {
            if (!group.equals("Nested Class")) {
                say(group + " Details");
                for (Element member : members) {
                    say(name(member));
                    say(signature(member, true));
                    comment(member);
                }
            }
        });
    }

    private static final Map<String, String> COLUMNS = Map.of(
        "Nested Class", "Modifier and Type Class Description",
        "Enum Constant", "Enum Constant Description",
        "Field", "Modifier and Type Field Description",
        "Constructor", "Constructor Description",
        "Method", "Modifier and Type Method Description");

    private static String packageOf(Element element) {
        while (!(element instanceof PackageElement)) element = element.getEnclosingElement();
        return element.toString();
    }

    private static String kind(TypeElement type) {
        return switch (type.getKind()) {
            case INTERFACE -> "Interface";
            case ENUM -> "Enum Class";
            case ANNOTATION_TYPE -> "Annotation Interface";
            default -> "Class";
        };
    }

    private static String group(Element member) {
        return switch (member.getKind()) {
            case CLASS, INTERFACE, ENUM, ANNOTATION_TYPE -> "Nested Class";
            case ENUM_CONSTANT -> "Enum Constant";
            case FIELD -> "Field";
            case CONSTRUCTOR -> "Constructor";
            case METHOD -> "Method";
            default -> null;
        };
    }

    private static String name(Element member) {
        return member.getKind() == ElementKind.CONSTRUCTOR
            ? member.getEnclosingElement().getSimpleName().toString()
            : member.getSimpleName().toString();
    }

    private static String typeSignature(TypeElement type) {
        String words = modifiers(type, true) + " " + kind(type).toLowerCase().replace(" class", "") + " "
            + type.getSimpleName() + parameters(type.getTypeParameters());
        TypeMirror above = type.getSuperclass();
        if (type.getKind() == ElementKind.CLASS) words += " extends " + simple(above);
        if (!type.getInterfaces().isEmpty()) words += " implements";
        for (TypeMirror one : type.getInterfaces()) words += " " + simple(one);
        return words;
    }

    /** In the detail, what is public says so, and exceptions are named. */
    private static String signature(Element member, boolean isDetail) {
        if (member instanceof TypeElement type) {
            return modifiers(type, false) + " " + kind(type).toLowerCase() + " " + flat(type);
        }
        String modifiers = modifiers(member, isDetail);
        if (member.getKind() == ElementKind.ENUM_CONSTANT) {
            String whole = modifiers + simple(member.asType()) + " " + member.getSimpleName();
            return isDetail ? whole : member.getSimpleName().toString();
        }
        if (!(member instanceof ExecutableElement method)) {
            return modifiers + simple(member.asType()) + " " + member.getSimpleName();
        }
        StringBuilder words = new StringBuilder(modifiers);
        words.append(parameters(method.getTypeParameters())).append(' ');
        if (member.getKind() == ElementKind.METHOD) words.append(simple(method.getReturnType()));
        words.append(' ').append(name(member)).append('(');
        for (VariableElement one : method.getParameters()) {
            words.append(simple(one.asType())).append(' ').append(one.getSimpleName()).append(", ");
        }
        words.append(')');
        if (isDetail && !method.getThrownTypes().isEmpty()) {
            words.append(" throws");
            for (TypeMirror one : method.getThrownTypes()) words.append(' ').append(simple(one));
        }
        return words.toString();
    }

    private static String modifiers(Element element, boolean isDetail) {
        StringBuilder words = new StringBuilder();
        boolean isInInterface = element.getEnclosingElement().getKind().isInterface();
        for (Modifier one : element.getModifiers()) {
            // The page leaves out what goes without saying.
            boolean isPlain = one == Modifier.PUBLIC && !isDetail && !(element instanceof TypeElement)
                || one == Modifier.NATIVE || one == Modifier.SYNCHRONIZED
                || one == Modifier.ABSTRACT && (isInInterface || element.getKind().isInterface())
                || isInInterface && one != Modifier.DEFAULT && one != Modifier.STATIC;
            if (!isPlain) words.append(one).append(' ');
        }
        return words.toString();
    }

    private static String parameters(List<? extends TypeParameterElement> all) {
        if (all.isEmpty()) return "";
        StringJoiner words = new StringJoiner(",", "<", ">");
        for (TypeParameterElement one : all) {
            String bounds = "";
            for (TypeMirror bound : one.getBounds()) {
                if (!bound.toString().equals("java.lang.Object")) bounds += " extends " + simple(bound);
            }
            words.add(one + bounds);
        }
        return words.toString();
    }

    /** A type without packages and annotations. */
    private static String simple(TypeMirror type) {
        return type.toString().replaceAll("@[\\w.]+(\\([^)]*\\))?\\s*", "")
            .replaceAll("\\b(?:[a-z_][\\w]*\\.)+(?=[A-Z])", "").replace("<any>", "");
    }

    private void first(Element element) {
        DocCommentTree tree = commentOf(element);
        if (tree == null) return;
        boolean isDeprecated = false;
        for (DocTree tag : tree.getBlockTags()) {
            if (tag instanceof DeprecatedTree one) {
                say("Deprecated " + text(one.getBody()));
                isDeprecated = true;
            }
        }
        if (!isDeprecated) say(inherited(element, text(tree.getFirstSentence()), true));
    }

    /** The whole comment, with the label of each kind of tag once. */
    private void comment(Element element) {
        DocCommentTree tree = commentOf(element);
        if (trees.getDocCommentTree(element) == null && tree != null) {
            ExecutableElement from = documented((ExecutableElement) element);
            TypeElement owner = (TypeElement) from.getEnclosingElement();
            say("Description copied from " + word(owner) + " " + owner.getSimpleName());
        }
        if (tree != null) say(inherited(element, text(tree.getFullBody()), false));
        if (element instanceof ExecutableElement method) {
            for (ExecutableElement one : overridden(method)) {
                TypeElement owner = (TypeElement) one.getEnclosingElement();
                String label = owner.getKind().isInterface()
                    && !method.getEnclosingElement().getKind().isInterface() ? "Specified by" : "Overrides";
                say(label + " " + one.getSimpleName() + " in " + word(owner) + " "
                    + owner.getSimpleName() + parameters(owner.getTypeParameters()));
            }
        }
        String before = "";
        for (DocTree tag : tree == null ? List.<DocTree>of() : tree.getBlockTags()) {
            String label = label(tag);
            if (label == null) continue;
            if (!label.equals(before)) say(label);
            before = label;
            say(block(tag));
        }
    }

    private static String word(TypeElement type) {
        return type.getKind().isInterface() ? "interface" : "class";
    }

    /** A comment, or that of the method which it overrides: the page has a copy then. */
    private DocCommentTree commentOf(Element element) {
        DocCommentTree own = trees.getDocCommentTree(element);
        if (own != null || !(element instanceof ExecutableElement method)) return own;
        ExecutableElement from = documented(method);
        return from == null ? null : trees.getDocCommentTree(from);
    }

    /** The text with the comment of the overridden method where it asks for it. */
    private String inherited(Element element, String words, boolean isFirst) {
        if (!words.contains(INHERITED) || !(element instanceof ExecutableElement method)) return words;
        ExecutableElement from = documented(method);
        DocCommentTree tree = from == null ? null : trees.getDocCommentTree(from);
        if (tree == null) return words.replace(INHERITED, "");
        return words.replace(INHERITED, text(isFirst ? tree.getFirstSentence() : tree.getFullBody()));
    }

    private ExecutableElement documented(ExecutableElement method) {
        for (ExecutableElement one : overridden(method)) {
            if (trees.getDocCommentTree(one) != null) return one;
        }
        return null;
    }

    /** Methods of classes and interfaces above that this one overrides: the nearest class, each interface. */
    private List<ExecutableElement> overridden(ExecutableElement method) {
        List<ExecutableElement> found = new ArrayList<>();
        TypeElement owner = (TypeElement) method.getEnclosingElement();
        Deque<TypeMirror> above = new ArrayDeque<>(types.directSupertypes(owner.asType()));
        Set<String> met = new HashSet<>();
        boolean hasClass = false;
        while (!above.isEmpty()) {
            TypeMirror type = above.poll();
            if (!(types.asElement(type) instanceof TypeElement one) || !met.add(one.toString())) continue;
            for (ExecutableElement other : ElementFilter.methodsIn(one.getEnclosedElements())) {
                boolean isClass = !one.getKind().isInterface();
                if (elements.overrides(method, other, owner) && !(isClass && hasClass)) {
                    found.add(other);
                    hasClass |= isClass;
                }
            }
            above.addAll(types.directSupertypes(type));
        }
        return found;
    }

    private static final String INHERITED = "\u0001";

    private static String label(DocTree tag) {
        return switch (tag.getKind()) {
            case PARAM -> ((ParamTree) tag).isTypeParameter() ? "Type Parameters" : "Parameters";
            case RETURN -> "Returns";
            case THROWS, EXCEPTION -> "Throws";
            case SEE -> "See Also";
            case SINCE -> "Since";
            case DEPRECATED -> "Deprecated";
            default -> null;
        };
    }

    private String block(DocTree tag) {
        if (tag instanceof ParamTree one) return one.getName() + " - " + text(one.getDescription());
        if (tag instanceof ReturnTree one) return text(one.getDescription());
        if (tag instanceof ThrowsTree one) {
            return last(one.getExceptionName().getSignature()) + " - " + text(one.getDescription());
        }
        if (tag instanceof SeeTree one) return text(one.getReference());
        if (tag instanceof SinceTree one) return text(one.getBody());
        if (tag instanceof DeprecatedTree one) return text(one.getBody());
        return "";
    }

    /** What a reference is shown as: no packages, and a dot where the source has a number sign. */
    private static String last(String reference) {
        return reference.replaceAll("\\b(?:[a-z_][\\w]*\\.)+(?=[A-Z])", "").replaceAll("^#", "")
            .replace('#', '.');
    }

    private String text(List<? extends DocTree> all) {
        StringBuilder words = new StringBuilder();
        for (DocTree one : all) words.append(text(one));
        return words.toString();
    }

    private String text(DocTree tree) {
        return new SimpleDocTreeVisitor<String, Void>() {
            @Override protected String defaultAction(DocTree it, Void none) { return ""; }
            @Override public String visitText(TextTree it, Void none) { return it.getBody(); }
            @Override public String visitLiteral(LiteralTree it, Void none) {
                return it.getBody().getBody();
            }
            @Override public String visitEntity(EntityTree it, Void none) {
                return switch (it.getName().toString()) {
                    case "lt", "gt", "amp", "quot", "nbsp" -> " ";
                    default -> "";
                };
            }
            @Override public String visitLink(LinkTree it, Void none) {
                String label = text(it.getLabel());
                return label.isBlank() ? last(it.getReference().getSignature()) : label;
            }
            @Override public String visitReference(ReferenceTree it, Void none) {
                return last(it.getSignature());
            }
            @Override public String visitInheritDoc(InheritDocTree it, Void none) {
                return INHERITED;
            }
            @Override public String visitValue(ValueTree it, Void none) { return ""; }
            @Override public String visitStartElement(StartElementTree it, Void none) {
                return isInline(it.getName().toString()) ? "" : "\n";
            }
            @Override public String visitEndElement(EndElementTree it, Void none) {
                return isInline(it.getName().toString()) ? "" : "\n";
            }
        }.visit(tree, null);
    }

    private static boolean isInline(String name) {
        return Set.of("a", "b", "code", "em", "i", "strong", "sub", "sup", "tt", "span", "kbd")
            .contains(name.toLowerCase());
    }

    private void say(String words) {
        out.append(words.strip()).append('\n');
    }
}
