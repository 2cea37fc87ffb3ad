"""Names that the modules of the runtime export, as JSON: { module: { name: [what is wrong with its signature] } }. For packages.real.test.ts."""

import inspect
import json
import pkgutil
import sys
import typing
from importlib import import_module

import svc


def has_any(hint: object) -> bool:
    # `Callable[..., X]` takes any arguments and is no Any.
    return hint is typing.Any or any(has_any(part) for part in typing.get_args(hint) if part is not ...)


def faults(function: object, where: str) -> 'list[str]':
    found = []
    hints = typing.get_type_hints(function)
    for name, parameter in inspect.signature(function).parameters.items():
        if name != 'self' and name not in hints:
            found.append(f'{where}: {name} has no type')
    if 'return' not in hints:
        found.append(f'{where}: its answer has no type')
    return found + [f'{where}: {name} is Any' for name, hint in hints.items() if has_any(hint)]


def of_class(kind: type, where: str) -> 'list[str]':
    found = [f'{where}: {name} is Any' for name, hint in typing.get_type_hints(kind).items() if has_any(hint)]
    # Members of http.server are typed by the checker's own stubs.
    for name, member in vars(kind).items():
        member = member.fget if isinstance(member, property) else member
        if inspect.isfunction(member) and (not name.startswith('_') or name in ('__init__', '__iter__', '__enter__', '__exit__')):
            found += faults(member, f'{where}.{name}')
    return found


names: 'dict[str, dict[str, list[str]]]' = {}
for module_name in sorted(name for _, name, _ in pkgutil.iter_modules(svc.__path__) if not name.startswith('_')):
    module = import_module(f'svc.{module_name}')
    own = names.setdefault(module_name, {})
    for name, value in sorted(vars(module).items()):
        where = f'{module_name}.{name}'
        home = getattr(value, '__module__', '')
        # Its own, or what a private module holds for it.
        if name.startswith('_') or not (home == module.__name__ or home.startswith('svc._')):
            continue
        if inspect.isclass(value):
            own[name] = of_class(value, where)
        elif inspect.isfunction(value):
            own[name] = faults(value, where)
json.dump({'names': names, 'typed': all(not wrong for own in names.values() for wrong in own.values())}, sys.stdout)
