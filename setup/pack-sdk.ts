/** `npm run pack:sdk`: the packages for authors, and where they are. */
import { makeAuthorPackages } from './author-packages.ts';

const { tarball, wheel } = await makeAuthorPackages();
console.log(`npm install --save-dev ${tarball}\npip install ${wheel}`);
